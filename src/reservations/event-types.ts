/**
 * Every event type, and what its events are about. Only events of a booking have a booking id; events of a venue have
 * neither slot nor hold. An event goes to active subscriptions of active partners with a grant for its venue, including
 * the originator.
 */
const SUBJECTS = {
  hold_created: 'hold',
  hold_cancelled: 'hold',
  hold_expired: 'hold',
  booking_created: 'booking',
  booking_cancelled: 'booking',
  booking_refunded: 'booking',
  availability_changed: 'venue',
} as const satisfies Record<string, 'hold' | 'booking' | 'venue'>;

export type EventType = keyof typeof SUBJECTS;

export const EVENT_TYPES = Object.keys(SUBJECTS) as EventType[];

export type ReservationEventType = Exclude<EventType, 'availability_changed'>;

/** The types of holds and bookings; `availability_changed` is only sent to subscriptions that name it. */
export const RESERVATION_EVENT_TYPES = EVENT_TYPES.filter((type) => !isOfVenue(type));

/** Whether events of the type are about a venue, not about a hold or booking. */
export function isOfVenue(type: EventType): type is 'availability_changed' {
  return SUBJECTS[type] === 'venue';
}

export function isOfBooking(type: EventType): boolean {
  return SUBJECTS[type] === 'booking';
}
