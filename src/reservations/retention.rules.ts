import type { RetentionRule } from '../domain/retention.ts';

/** Events that wait to be dispatched are nowhere else, so their reservation stays, however old. */
const IS_DISPATCHED = { outbox: { $size: 0 } };

/** The states of a hold that ended without a booking. */
const ENDED_HOLD = { $in: ['RELEASED', 'EXPIRED', 'DISPLACED'] };

/**
 * By its expiry, or the end of its slot where that is later, as its events. A hold that was released stays as long as one that lapsed,
 * two hours at most longer than it had to.
 */
export const ENDED_HOLDS: RetentionRule = {
  collection: 'reservations',
  field: 'holdExpiresAt',
  hint: 'ended_holds',
  instant: 'holdExpiresAt',
  isWalked: (before) => ({ status: ENDED_HOLD, holdExpiresAt: { $lt: before } }),
  isOver: (before) => ({ slotEnd: { $lt: before }, ...IS_DISPATCHED }),
};

/** Bookings and walk-ins by the end of their slot, or by their own end where that is later. Whatever `before` is, the slot has ended. */
export const PAST_BOOKINGS: RetentionRule = {
  collection: 'reservations',
  field: 'slotStart',
  hint: 'bookings_by_day_of_play',
  instant: 'slotStart',
  isWalked: (before) => ({ bookedAt: { $exists: true }, slotStart: { $lt: before } }),
  isOver: (before) => ({
    slotEnd: { $lt: before },
    cancelledAt: { $not: { $gte: before } },
    refundedAt: { $not: { $gte: before } },
    ...IS_DISPATCHED,
    $expr: { $lte: ['$slotEnd', '$$NOW'] },
  }),
};
