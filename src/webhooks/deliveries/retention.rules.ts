import type { RetentionRule } from '../../domain/retention.ts';

/** No attempt was begun since: neither of a later series, nor one by hand of a dead letter. */
const isQuietSince = (before: Date) => ({ attempts: { $not: { $elemMatch: { sentAt: { $gte: before } } } } });

/** Of a dead letter, alerting has to be told: it stays until that has been done. */
const IS_TOLD = { alertPending: { $exists: false }, isUncounted: { $exists: false } };

/** By their last attempt, or when they were discarded or created. What waits for an attempt stays, however old. */
export const ENDED_DELIVERIES: RetentionRule = {
  collection: 'deliveries',
  field: 'createdAt',
  hint: 'deliveries_newest',
  instant: 'createdAt',
  isWalked: (before) => ({ createdAt: { $lt: before } }),
  isOver: (before) => ({
    state: { $in: ['succeeded', 'cancelled', 'discarded'] },
    discardedAt: { $not: { $gte: before } },
    ...isQuietSince(before),
    ...IS_TOLD,
  }),
};

export const OLD_DEAD_LETTERS: RetentionRule = {
  collection: 'deliveries',
  field: 'deadLetteredAt',
  hint: 'dead_letters_by_time',
  instant: 'deadLetteredAt',
  isWalked: (before) => ({ state: 'dead_letter', deadLetteredAt: { $lt: before } }),
  isOver: (before) => ({ ...isQuietSince(before), ...IS_TOLD }),
};
