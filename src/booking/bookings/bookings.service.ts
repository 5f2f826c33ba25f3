import { findVenueRules } from '../../catalog/slots/venue-rules.store.ts';
import type { ResourceRow } from '../../catalog/venues/resources.service.ts';
import type { VenueRow } from '../../catalog/venues/venues.service.ts';
import { type Audience, audienceOf, DomainError, fieldError } from '../../domain/errors.ts';
import { requireCustomerPhone } from '../../domain/phone.ts';
import type { EventRow } from '../../events/events.model.ts';
import { toEventRows } from '../../events/events.rules.ts';
import { findEventsOfReservation } from '../../events/events.store.ts';
import { dayBounds } from '../../platform/calendar.ts';
import type { Db } from '../../platform/mongo.ts';
import { omitUndefined } from '../../platform/objects.ts';
import type { Page, Position } from '../../platform/pagination.ts';
import { type BookingFilter, listBookingRows } from '../../reservations/booking-list.store.ts';
import { type CustomerSearch, foldName, SHORT_SEARCH, searchOf } from '../../reservations/customer.rules.ts';
import { findReservationByBookingId } from '../../reservations/reservation-reads.store.ts';
import type { ShownBooking } from '../../reservations/reservations.model.ts';
import { type DeliveryDetail, listDeliveriesOfEvents } from '../../webhooks/deliveries/read-deliveries.service.ts';

export type BookingDeps = { db: Db; config: { defaultTimeZone: string; defaultRegion: string } };

export type BookingDetail = { booking: ShownBooking; venue: VenueRow | null; resource: ResourceRow | null };

/** `search`: the id of a booking or hold, words of a name, or a phone's last digits. */
export type ListBookings = Pick<
  BookingFilter,
  'venueId' | 'status' | 'holdId' | 'paymentReference' | 'orderReference'
> & {
  from?: string;
  to?: string;
  customerPhone?: string;
  customerName?: string;
  search?: string;
  slotFrom?: string;
  slotTo?: string;
  limit: number;
  after?: Position;
};

/** A booking of the partner; of any partner without `partnerId` (operators). @throws DomainError BOOKING_NOT_FOUND */
export async function getBooking(
  deps: { db: Db },
  partnerId: string | undefined,
  bookingId: string,
): Promise<BookingDetail> {
  const booking = await findReservationByBookingId(deps.db, bookingId);
  if (booking === null || (partnerId !== undefined && booking.partnerId !== partnerId)) {
    throw bookingNotFound(audienceOf(partnerId));
  }
  return withVenue(deps, booking);
}

/**
 * The bookings of the partner, or of all partners without `partnerId`, newest `booked_at` first. Dates are inclusive,
 * in the zone of `venueId`, or in the service's zone without `venueId`.
 * @throws DomainError VALIDATION_ERROR for an invalid phone number or a search that is too short.
 */
export async function listBookings(
  deps: BookingDeps,
  partnerId: string | undefined,
  query: ListBookings,
): Promise<Page<BookingDetail>> {
  const { from, to, slotFrom, slotTo, customerName, customerPhone, search, limit, after, ...rest } = query;
  const venue = rest.venueId === undefined ? null : await findVenueRules(deps.db, rest.venueId);
  const timeZone = venue?.value.venue.timeZone ?? deps.config.defaultTimeZone;
  const startOf = (date: string) => dayBounds(date, timeZone).start;
  const endOf = (date: string) => dayBounds(date, timeZone).end;
  const filter = omitUndefined({
    ...rest,
    partnerId,
    bookedFrom: ifGiven(from, startOf),
    bookedBefore: ifGiven(to, endOf),
    slotFrom: ifGiven(slotFrom, startOf),
    slotBefore: ifGiven(slotTo, endOf),
    namePrefixFolded: ifGiven(customerName, foldName),
    phoneE164: ifGiven(customerPhone, (phone) => requireCustomerPhone(phone, deps.config.defaultRegion)),
    search: ifGiven(search, requireSearch),
  });
  const { rows, next } = await listBookingRows(deps.db, filter, after, limit);
  return { rows: await Promise.all(rows.map((row) => withVenue(deps, row))), next };
}

const ifGiven = <T>(text: string | undefined, read: (text: string) => T): T | undefined =>
  text === undefined ? undefined : read(text);

function requireSearch(text: string): CustomerSearch {
  const search = searchOf(text);
  if (search === undefined) throw fieldError('q', SHORT_SEARCH);
  return search;
}

/** Cheap for a page of bookings: venues are cached, and concurrent calls share the read of one that is not. */
async function withVenue({ db }: { db: Db }, booking: ShownBooking): Promise<BookingDetail> {
  const { venue = null, resources = [] } = (await findVenueRules(db, booking.venueId))?.value ?? {};
  return { booking, venue, resource: resources.find(({ _id }) => _id === booking.resourceId) ?? null };
}

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

const NOT_FOUND: Record<Audience, string> = {
  partner: 'You have no booking with that id. Use booking_id as returned by confirm.',
  operator: 'There is no booking with that id. List the bookings to find its id.',
};

export function bookingNotFound(audience: Audience): DomainError {
  return new DomainError('BOOKING_NOT_FOUND', NOT_FOUND[audience]);
}
