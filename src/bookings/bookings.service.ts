import type { Audience } from '../domain/errors.ts';
import { audienceOf, DomainError, fieldError } from '../domain/errors.ts';
import { requireCustomerPhone } from '../domain/phone.ts';
import { addDays, dayBounds } from '../platform/calendar.ts';
import type { Db } from '../platform/mongo.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import type { Page, Position } from '../platform/pagination.ts';
import type { BookingFilter } from '../reservations/booking-list.store.ts';
import { listBookingRows } from '../reservations/booking-list.store.ts';
import type { CustomerSearch } from '../reservations/customer.rules.ts';
import { foldName, SHORT_SEARCH, searchOf } from '../reservations/customer.rules.ts';
import { findReservationByBookingId } from '../reservations/reservation-reads.store.ts';
import type { ShownBooking } from '../reservations/reservations.model.ts';
import { findVenueRules } from '../slots/venue-rules.store.ts';
import type { ResourceRow, VenueRow } from '../venues/venues.service.ts';

export type BookingDeps = { db: Db; config: { defaultTimeZone: string; defaultRegion: string } };

/** A booking with what its read payload shows of venue and resource. */
export type BookingDetail = {
  booking: ShownBooking;
  venue: VenueRow | null;
  resource: ResourceRow | null;
};

export type ListBookings = {
  venueId?: string;
  from?: string;
  to?: string;
  status?: 'BOOKED' | 'CANCELLED' | 'REFUNDED';
  holdId?: string;
  paymentReference?: string;
  orderReference?: string;
  customerPhone?: string;
  customerName?: string;
  /** An id of a booking or its hold, words of a name, or the end of a phone. */
  search?: string;
  slotFrom?: string;
  slotTo?: string;
  limit: number;
  after?: Position;
};

/**
 * A booking of the partner; of any partner for an operator, who names none.
 * @throws DomainError BOOKING_NOT_FOUND for a booking that is missing or another partner's.
 */
export async function getBooking(
  deps: { db: Db },
  partnerId: string | undefined,
  bookingId: string,
): Promise<BookingDetail> {
  const booking = await findReservationByBookingId(deps.db, bookingId);
  if (booking === null || (partnerId !== undefined && booking.partnerId !== partnerId)) {
    throw bookingNotFound(audienceOf(partnerId));
  }
  const [detail] = await withVenues(deps, [booking]);
  if (detail === undefined) throw bookingNotFound(audienceOf(partnerId));
  return detail;
}

/**
 * The partner's bookings (all partners' where none is named), newest `booked_at` first. `from` and `to` are inclusive dates of
 * `booked_at` in the zone of the venue named, else in the service's zone.
 * @throws DomainError VALIDATION_ERROR where the phone is no number, or a search too short.
 */
export async function listBookings(
  deps: BookingDeps,
  partnerId: string | undefined,
  query: ListBookings,
): Promise<Page<BookingDetail>> {
  const filter = await filterOf(deps, partnerId, query);
  const { rows, next } = await listBookingRows(deps.db, filter, query.after, query.limit);
  return { rows: await withVenues(deps, rows), next };
}

async function filterOf(
  deps: BookingDeps,
  partnerId: string | undefined,
  query: ListBookings,
): Promise<BookingFilter> {
  const { holdId, paymentReference, orderReference } = query;
  const filter: BookingFilter = omitUndefined({ partnerId, holdId, paymentReference, orderReference });
  const venue = query.venueId === undefined ? null : await findVenueRules(deps.db, query.venueId);
  const timeZone = venue?.value.venue.timeZone ?? deps.config.defaultTimeZone;
  if (query.venueId !== undefined) filter.venueId = query.venueId;
  if (query.status !== undefined) filter.status = query.status;
  if (query.from !== undefined) filter.bookedFrom = dayBounds(query.from, timeZone).start;
  if (query.to !== undefined) filter.bookedBefore = dayBounds(addDays(query.to, 1), timeZone).start;
  if (query.customerName !== undefined) filter.namePrefixFolded = foldName(query.customerName);
  if (query.customerPhone !== undefined) {
    filter.phoneE164 = requireCustomerPhone(query.customerPhone, deps.config.defaultRegion);
  }
  if (query.slotFrom !== undefined) filter.slotFrom = dayBounds(query.slotFrom, timeZone).start;
  if (query.slotTo !== undefined) filter.slotBefore = dayBounds(addDays(query.slotTo, 1), timeZone).start;
  if (query.search !== undefined) filter.search = requireSearch(query.search);
  return filter;
}

function requireSearch(text: string): CustomerSearch {
  const search = searchOf(text);
  if (search !== undefined) return search;
  throw fieldError('q', SHORT_SEARCH);
}

/** Venues that are not cached are read together. */
async function withVenues({ db }: { db: Db }, bookings: readonly ShownBooking[]): Promise<BookingDetail[]> {
  return Promise.all(
    bookings.map(async (booking) => {
      const found = await findVenueRules(db, booking.venueId);
      const { venue = null, resources = [] } = found?.value ?? {};
      return { booking, venue, resource: resources.find(({ _id }) => _id === booking.resourceId) ?? null };
    }),
  );
}

const NOT_FOUND: Record<Audience, string> = {
  partner: 'You have no booking with that id. Use booking_id as returned by confirm.',
  operator: 'There is no booking with that id. List the bookings to find its id.',
};

export function bookingNotFound(audience: Audience): DomainError {
  return new DomainError('BOOKING_NOT_FOUND', NOT_FOUND[audience]);
}
