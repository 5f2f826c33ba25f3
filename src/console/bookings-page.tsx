import { listInput, operatorListQuery } from '../booking/bookings/booking-list.schemas.ts';
import { type BookingDetail, listBookings } from '../booking/bookings/bookings.service.ts';
import { getHold } from '../booking/holds/holds.service.ts';
import { PLATFORM_PARTNER_ID } from '../domain/change-origin.ts';
import { searchOf } from '../reservations/customer.rules.ts';
import { partnerChoices, toChoices, venuesToChoose } from './choices.ts';
import { dateTime, price, timeSpan } from './format.rules.ts';
import { type NameOf, readNames } from './links.tsx';
import { type Filter, listingPage } from './listing.tsx';
import { Badge, type Row, When } from './parts.tsx';
import { type ConsoleDeps, ifFound, type PageHandler, readQuery } from './request.ts';

/** The search text if it is the id of a hold. A hold that became a booking is found as a booking. */
async function findHoldId(deps: ConsoleDeps, text = ''): Promise<string | undefined> {
  const search = searchOf(text);
  if (search === undefined || !('id' in search)) return undefined;
  return (await ifFound(getHold(deps, undefined, search.id)))?._id;
}

const STATUSES = [
  ['BOOKED', 'Booked'],
  ['CANCELLED', 'Cancelled'],
  ['REFUNDED', 'Refunded'],
] as const;

/** The bookings of all partners, newest first, with the filters of the operator API. */
export const bookingsPage: PageHandler = async (deps, request) => {
  const { query, faults } = readQuery(operatorListQuery(deps.config.defaultRegion), request.query);
  const [partners, venues, page] = await Promise.all([
    partnerChoices(deps, query.partner_id),
    venuesToChoose(deps, query.venue_id),
    listBookings(deps, query.partner_id, listInput(query)),
  ]);
  const nameOf = await readNames(
    deps,
    page.rows.map(({ booking }) => booking.partnerId),
  );
  const holdId = page.rows.length === 0 ? await findHoldId(deps, query.q) : undefined;
  if (holdId !== undefined) return { redirect: `/holds/${holdId}` };
  const filters: Filter[] = [
    { name: 'q', label: 'Name, last digits of phone, or id' },
    {
      name: 'partner_id',
      label: 'Partner',
      options: [[PLATFORM_PARTNER_ID, 'Walk-ins'], ...partners],
    },
    { name: 'venue_id', label: 'Venue', options: toChoices(venues) },
    { name: 'status', label: 'Status', options: STATUSES },
    { name: 'slot_from', label: 'Slot from', isDate: true },
    { name: 'slot_to', label: 'Slot to', isDate: true },
    { name: 'from', label: 'Booked from', isDate: true },
    { name: 'to', label: 'Booked to', isDate: true },
  ];
  return listingPage({
    section: '/bookings',
    filters,
    query: request.query,
    faults,
    caption: 'Bookings, newest first; times are those of each venue',
    columns: ['Slot', 'Status', 'Customer', 'Venue', 'Partner', ['Price', 'number'], 'Booked'],
    row: (detail) => cellsOf(detail, nameOf, deps.config.defaultTimeZone),
    empty: 'No booking matches.',
    page,
  });
};

function cellsOf({ booking, venue, resource }: BookingDetail, nameOf: NameOf, defaultZone: string): Row {
  const timeZone = venue?.timeZone ?? defaultZone;
  const [date] = dateTime(booking.slotStart, timeZone).split(', ');
  return [
    <a href={`/bookings/${booking.bookingId}`}>
      {`${date}, ${timeSpan(booking.slotStart, booking.slotEnd, timeZone)}`}
    </a>,
    <Badge state={booking.status} />,
    booking.customer?.name ?? <span class="faint">no name</span>,
    <>
      {venue?.name}
      <span class="under">{resource?.name}</span>
    </>,
    nameOf(booking.partnerId),
    price(booking.pricePaise),
    <When at={booking.bookedAt} timeZone={timeZone} />,
  ];
}
