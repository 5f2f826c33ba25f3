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

/** The states in which a reservation claims its slot. */
export const CLAIMING: readonly ReservationStatus[] = ['ACTIVE', 'BOOKED'];

type Transition = {
  from: readonly ReservationStatus[];
  to: ReservationStatus;
  /** Only holds before (`alive`) or after (`overdue`) their expiry. */
  hold?: 'alive' | 'overdue';
  event: EventType;
  instant: 'bookedAt' | 'releasedAt' | 'expiredAt' | 'cancelledAt' | 'refundedAt';
  /** The instant of the change if it is not the database's now: the hold's expiry, even if written later. */
  at?: '$holdExpiresAt';
};

export type TransitionName = 'confirm' | 'release' | 'displace' | 'expire' | 'cancel' | 'refund';

/** Every legal change of a reservation's status; nothing else writes `status`. */
export const TRANSITIONS: Record<TransitionName, Transition> = {
  confirm: { from: ['ACTIVE'], to: 'BOOKED', hold: 'alive', event: 'booking_created', instant: 'bookedAt' },
  release: { from: ['ACTIVE'], to: 'RELEASED', hold: 'alive', event: 'hold_cancelled', instant: 'releasedAt' },
  displace: { from: ['ACTIVE'], to: 'DISPLACED', hold: 'alive', event: 'hold_cancelled', instant: 'releasedAt' },
  expire: {
    from: ['ACTIVE'],
    to: 'EXPIRED',
    hold: 'overdue',
    event: 'hold_expired',
    instant: 'expiredAt',
    at: '$holdExpiresAt',
  },
  cancel: { from: ['BOOKED'], to: 'CANCELLED', event: 'booking_cancelled', instant: 'cancelledAt' },
  refund: { from: ['BOOKED', 'CANCELLED'], to: 'REFUNDED', event: 'booking_refunded', instant: 'refundedAt' },
};

export const holdStatusOf = (status: ReservationStatus): HoldStatus => HOLD_STATUSES[status];

/** The stored reservation states of a hold state. Ignores that an overdue hold shows EXPIRED while stored as ACTIVE. */
export function storedStatusesOf(status: HoldStatus): ReservationStatus[] {
  return RESERVATION_STATUSES.filter((each) => holdStatusOf(each) === status);
}

/** Decided by the database's clock: a host with a wrong clock must neither confirm late nor expire early (ADR 0004). */
export const ALIVE = { $gt: ['$holdExpiresAt', '$$NOW'] };
export const OVERDUE = { $lte: ['$holdExpiresAt', '$$NOW'] };

/** Shows an overdue hold as EXPIRED, even while its stored status is ACTIVE. */
export const AS_SEEN_NOW = {
  $set: { status: { $cond: [{ $and: [{ $eq: ['$status', 'ACTIVE'] }, OVERDUE] }, 'EXPIRED', '$status'] } },
};
