import type { EventType } from './event-types.ts';

export type HoldStatus = 'ACTIVE' | 'CONSUMED' | 'RELEASED' | 'EXPIRED';

/** The states of a reservation, with the state of its hold. DISPLACED: a walk-in took the slot of a hold. */
const HOLD_STATUSES = {
  ACTIVE: 'ACTIVE',
  RELEASED: 'RELEASED',
  EXPIRED: 'EXPIRED',
  DISPLACED: 'RELEASED',
  BOOKED: 'CONSUMED',
  CANCELLED: 'CONSUMED',
  REFUNDED: 'CONSUMED',
} as const satisfies Record<string, HoldStatus>;

export type ReservationStatus = keyof typeof HOLD_STATUSES;
export const RESERVATION_STATUSES = Object.keys(HOLD_STATUSES) as ReservationStatus[];

type Transition = {
  from: readonly ReservationStatus[];
  to: ReservationStatus;
  /** The holds that it applies to: live or lapsed by the database's clock, or either. */
  hold: 'alive' | 'lapsed' | 'any';
  claimed: boolean;
  event: EventType;
  /** The instant of the change: the database's now, or the hold's expiry even if it is written later. */
  at: '$$NOW' | '$holdExpiresAt';
  instant: 'bookedAt' | 'releasedAt' | 'expiredAt' | 'cancelledAt' | 'refundedAt';
};

/** Every legal change of a reservation's status; nothing else writes `status`. */
export const TRANSITIONS = {
  confirm: {
    from: ['ACTIVE'],
    to: 'BOOKED',
    hold: 'alive',
    claimed: true,
    event: 'booking_created',
    at: '$$NOW',
    instant: 'bookedAt',
  },
  release: {
    from: ['ACTIVE'],
    to: 'RELEASED',
    hold: 'alive',
    claimed: false,
    event: 'hold_cancelled',
    at: '$$NOW',
    instant: 'releasedAt',
  },
  displace: {
    from: ['ACTIVE'],
    to: 'DISPLACED',
    hold: 'alive',
    claimed: false,
    event: 'hold_cancelled',
    at: '$$NOW',
    instant: 'releasedAt',
  },
  expire: {
    from: ['ACTIVE'],
    to: 'EXPIRED',
    hold: 'lapsed',
    claimed: false,
    event: 'hold_expired',
    at: '$holdExpiresAt',
    instant: 'expiredAt',
  },
  cancel: {
    from: ['BOOKED'],
    to: 'CANCELLED',
    hold: 'any',
    claimed: false,
    event: 'booking_cancelled',
    at: '$$NOW',
    instant: 'cancelledAt',
  },
  refund: {
    from: ['BOOKED', 'CANCELLED'],
    to: 'REFUNDED',
    hold: 'any',
    claimed: false,
    event: 'booking_refunded',
    at: '$$NOW',
    instant: 'refundedAt',
  },
} as const satisfies Record<string, Transition>;
export type TransitionName = keyof typeof TRANSITIONS;

export const holdStatusOf = (status: ReservationStatus): HoldStatus => HOLD_STATUSES[status];

/** The stored reservation states of a hold state (lapsed ACTIVE holds aside). */
export function storedStatusesOf(status: HoldStatus): ReservationStatus[] {
  return RESERVATION_STATUSES.filter((each) => holdStatusOf(each) === status);
}

/** Decided by the database's clock: a host with a wrong clock must neither confirm late nor expire early (ADR 0004). */
export const ALIVE = { $gt: ['$holdExpiresAt', '$$NOW'] };
export const LAPSED = { $lte: ['$holdExpiresAt', '$$NOW'] };

/** Shows a lapsed hold as EXPIRED, also before it is expired in the database. */
export const AS_SEEN_NOW = {
  $set: { status: { $cond: [{ $and: [{ $eq: ['$status', 'ACTIVE'] }, LAPSED] }, 'EXPIRED', '$status'] } },
};
