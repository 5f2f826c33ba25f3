import type { EventRow } from '../../events/events.model.ts';
import { toEventRows } from '../../events/events.rules.ts';
import { findEventsOfReservation } from '../../events/events.store.ts';
import type { Db } from '../../platform/mongo.ts';
import { findReservationByBookingId } from '../../reservations/reservation-reads.store.ts';
import { type DeliveryDetail, listDeliveriesOfEvents } from '../../webhooks/deliveries/read-deliveries.service.ts';
import { bookingNotFound } from './bookings.service.ts';

export type TimelineEntry = { event: EventRow; deliveries: DeliveryDetail[] };

/**
 * The events of a booking and its hold, oldest first. Reads the outbox before the dispatched events, because dispatch
 * may move events in between. @throws DomainError BOOKING_NOT_FOUND
 */
export async function readTimeline(deps: { db: Db }, bookingId: string): Promise<TimelineEntry[]> {
  const reservation = await findReservationByBookingId(deps.db, bookingId);
  if (reservation === null) throw bookingNotFound('operator');
  const waiting = toEventRows(reservation);
  const dispatched = await findEventsOfReservation(deps.db, reservation._id);
  const events = new Map([...waiting, ...dispatched].map((event) => [event._id, event]));
  const deliveries = await listDeliveriesOfEvents(deps, [...events.keys()]);
  return [...events.values()].sort(byInstant).map((event) => ({
    event,
    deliveries: deliveries.filter(({ delivery }) => delivery.eventId === event._id),
  }));
}

/** The ids decide for events of older releases, which may have equal instants. */
function byInstant(a: EventRow, b: EventRow): number {
  return a.at.getTime() - b.at.getTime() || (a._id < b._id ? -1 : 1);
}
