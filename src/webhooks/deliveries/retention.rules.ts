import type { RetentionRule } from '../../domain/data-removal.ts';

/** No attempt was begun since `before`, in any series or by hand. */
const isQuietSince = (before: Date) => ({ attempts: { $not: { $elemMatch: { sentAt: { $gte: before } } } } });

/** A dead letter stays until operators have been alerted of it. */
const IS_ALERTED = { alertPending: { $exists: false }, isUncounted: { $exists: false } };

/** An ended delivery may be deleted once its creation, last attempt and discarding all happened before `before`. */
export const ENDED_DELIVERIES: RetentionRule = {
  collection: 'deliveries',
  field: 'createdAt',
  hint: 'deliveries_newest',
  instant: 'createdAt',
  isInRange: (before) => ({ createdAt: { $lt: before } }),
  isDeletable: (before) => ({
    state: { $in: ['succeeded', 'cancelled', 'discarded'] },
    discardedAt: { $not: { $gte: before } },
    ...isQuietSince(before),
    ...IS_ALERTED,
  }),
};

export const OLD_DEAD_LETTERS: RetentionRule = {
  collection: 'deliveries',
  field: 'deadLetteredAt',
  hint: 'dead_letters_by_time',
  instant: 'deadLetteredAt',
  isInRange: (before) => ({ state: 'dead_letter', deadLetteredAt: { $lt: before } }),
  isDeletable: (before) => ({ ...isQuietSince(before), ...IS_ALERTED }),
};
