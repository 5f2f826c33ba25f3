/** The details of an event, without slot and price. */
type EventDetail = 'holdExpiresAt' | 'reason';

type EventKind = {
  /** Only events of a booking have a booking id. Events of a venue have neither slot nor hold. */
  subject: 'hold' | 'booking' | 'venue';
  details: readonly EventDetail[];
};

/**
 * Every event type. An event goes to active subscriptions of active partners with a grant for its venue, including the
 * originator.
 */
const EVENT_KINDS = {
  hold_created: { subject: 'hold', details: ['holdExpiresAt'] },
  hold_cancelled: { subject: 'hold', details: ['reason'] },
  hold_expired: { subject: 'hold', details: [] },
  booking_created: { subject: 'booking', details: [] },
  booking_cancelled: { subject: 'booking', details: ['reason'] },
  booking_refunded: { subject: 'booking', details: ['reason'] },
  availability_changed: { subject: 'venue', details: [] },
} as const satisfies Record<string, EventKind>;

export type EventType = keyof typeof EVENT_KINDS;

export const EVENT_TYPES = Object.keys(EVENT_KINDS) as EventType[];

export type ReservationEventType = Exclude<EventType, 'availability_changed'>;

/** The types of holds and bookings; `availability_changed` is only sent to subscriptions that name it. */
export const RESERVATION_EVENT_TYPES = EVENT_TYPES.filter((type) => !isOfVenue(type));

/** Whether events of the type are about a venue, not about a hold or booking. */
export function isOfVenue(type: EventType): type is 'availability_changed' {
  return EVENT_KINDS[type].subject === 'venue';
}

export function isOfBooking(type: EventType): boolean {
  return EVENT_KINDS[type].subject === 'booking';
}

export function hasDetail(type: EventType, detail: EventDetail): boolean {
  const { details }: EventKind = EVENT_KINDS[type];
  return details.includes(detail);
}
