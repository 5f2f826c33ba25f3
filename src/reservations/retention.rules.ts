import type { RetentionRule } from '../domain/data-removal.ts';

/** A reservation stays until its events are dispatched. */
const IS_DISPATCHED = { outbox: { $size: 0 } };

const ENDED_STATUS = { $in: ['RELEASED', 'EXPIRED', 'DISPLACED'] };

/** Ended holds may be deleted some days after their expiry and the end of their slot. The rule of events is similar. */
export const ENDED_HOLDS: RetentionRule = {
  collection: 'reservations',
  field: 'holdExpiresAt',
  hint: 'ended_holds',
  instant: 'holdExpiresAt',
  isInRange: (before) => ({ status: ENDED_STATUS, holdExpiresAt: { $lt: before } }),
  isDeletable: (before) => ({ slotEnd: { $lt: before }, ...IS_DISPATCHED }),
};

/** Bookings and walk-ins may be deleted some days after the latest of slot end, cancellation and refund. */
export const PAST_BOOKINGS: RetentionRule = {
  collection: 'reservations',
  field: 'slotStart',
  hint: 'bookings_by_day_of_play',
  instant: 'slotStart',
  isInRange: (before) => ({ bookedAt: { $exists: true }, slotStart: { $lt: before } }),
  isDeletable: (before) => ({
    slotEnd: { $lt: before },
    cancelledAt: { $not: { $gte: before } },
    refundedAt: { $not: { $gte: before } },
    ...IS_DISPATCHED,
    $expr: { $lte: ['$slotEnd', '$$NOW'] },
  }),
};
