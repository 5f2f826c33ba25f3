/** What an event says in its details beside the slot and the price, where it is known. */
export type EventDetail = 'holdExpiresAt' | 'reason';

type EventKind = {
  /** Those of a booking carry its id; those of a hold have none. */
  of: 'hold' | 'booking';
  details: readonly EventDetail[];
};

/**
 * Every type of event. Each goes to the active partners with a grant for the venue that have an active subscription to its type,
 * the originator of the change included; price and reason are for the originator alone.
 */
export const EVENT_KINDS = {
  hold_created: { of: 'hold', details: ['holdExpiresAt'] },
  hold_cancelled: { of: 'hold', details: ['reason'] },
  hold_expired: { of: 'hold', details: [] },
  booking_created: { of: 'booking', details: [] },
  booking_cancelled: { of: 'booking', details: ['reason'] },
  booking_refunded: { of: 'booking', details: ['reason'] },
} as const satisfies Record<string, EventKind>;

export type EventType = keyof typeof EVENT_KINDS;

export const EVENT_TYPES = Object.keys(EVENT_KINDS) as EventType[];

/** Whether an event of this type is of a booking, and so carries its id. */
export function isOfBooking(type: EventType): boolean {
  return EVENT_KINDS[type].of === 'booking';
}

/** Whether events of this type have a detail. */
export function hasDetail(type: EventType, detail: EventDetail): boolean {
  const { details }: EventKind = EVENT_KINDS[type];
  return details.includes(detail);
}
