/** The details of an event, without slot and price. */
export type EventDetail = 'holdExpiresAt' | 'reason';

type EventKind = {
  /** Only events of a booking have a booking id. Events of a venue have neither slot nor hold. */
  of: 'hold' | 'booking' | 'venue';
  details: readonly EventDetail[];
};

/**
 * Every event type. An event goes to active subscriptions of active partners with a grant for its venue, including the
 * originator.
 */
export const EVENT_KINDS = {
  hold_created: { of: 'hold', details: ['holdExpiresAt'] },
  hold_cancelled: { of: 'hold', details: ['reason'] },
  hold_expired: { of: 'hold', details: [] },
  booking_created: { of: 'booking', details: [] },
  booking_cancelled: { of: 'booking', details: ['reason'] },
  booking_refunded: { of: 'booking', details: ['reason'] },
  availability_changed: { of: 'venue', details: [] },
} as const satisfies Record<string, EventKind>;

export type EventType = keyof typeof EVENT_KINDS;

export const EVENT_TYPES = Object.keys(EVENT_KINDS) as EventType[];

export type ReservationEventType = Exclude<EventType, 'availability_changed'>;

/** The types of holds and bookings; `availability_changed` is only sent to subscriptions that name it. */
export const RESERVATION_EVENT_TYPES = EVENT_TYPES.filter((type) => !isOfVenue(type));

/** Whether events of the type are about a venue, not about a hold or booking. */
export function isOfVenue(type: EventType): type is 'availability_changed' {
  return EVENT_KINDS[type].of === 'venue';
}

export function isOfBooking(type: EventType): boolean {
  return EVENT_KINDS[type].of === 'booking';
}

export function hasDetail(type: EventType, detail: EventDetail): boolean {
  const { details }: EventKind = EVENT_KINDS[type];
  return details.includes(detail);
}
