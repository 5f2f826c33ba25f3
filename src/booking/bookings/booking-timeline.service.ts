import type { EventRow } from '../../events/events.model.ts';
import { toEventRows } from '../../events/events.rules.ts';
import { findEventsOfReservation } from '../../events/events.store.ts';
import type { Db } from '../../platform/mongo.ts';
import { findReservationByBookingId } from '../../reservations/reservation-reads.store.ts';
import type { DeliveryDetail } from '../../webhooks/deliveries/read-deliveries.service.ts';
import { listDeliveriesOfEvents } from '../../webhooks/deliveries/read-deliveries.service.ts';
import { bookingNotFound } from './bookings.service.ts';

/** An event of a booking, and its deliveries. */
export type TimelineEntry = { event: EventRow; deliveries: DeliveryDetail[] };

/**
 * Everything that happened to a booking from its hold on, oldest first. Events that wait in
 * the outbox are in it: it is read before the log, so that one which is dispatched in between is seen at least once, and kept once.
 * @throws DomainError BOOKING_NOT_FOUND
 */
export async function readTimeline(deps: { db: Db }, bookingId: string): Promise<TimelineEntry[]> {
  const reservation = await findReservationByBookingId(deps.db, bookingId);
  if (reservation === null) throw bookingNotFound('operator');
  const waiting = toEventRows(reservation);
  const logged = await findEventsOfReservation(deps.db, reservation._id);
  const events = new Map([...waiting, ...logged].map((event) => [event._id, event]));
  const deliveries = await listDeliveriesOfEvents(deps, [...events.keys()]);
  return [...events.values()].sort(byInstant).map((event) => ({
    event,
    deliveries: deliveries.filter(({ delivery }) => delivery.eventId === event._id),
  }));
}

/** No two events of a reservation have one instant, but for what older releases wrote. */
function byInstant(a: EventRow, b: EventRow): number {
  return a.at.getTime() - b.at.getTime() || (a._id < b._id ? -1 : 1);
}
