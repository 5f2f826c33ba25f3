import { afterAll, describe, expect, test } from '@jest/globals';
import { end as sendEnd } from '../conformance/steps.ts';
import type { Json, Venue } from '../support/factories.ts';
import { anyPartner, anyVenue, bookSlot, dateIn, expectStatus, freeSlotIds } from '../support/factories.ts';
import { copyBookings } from '../support/many-bookings.ts';
import { NO_FAULTS, pagingFaults, type ReadPage, readPages } from '../support/paging.ts';
import { type QueryPlan, sortedQueriesOf } from '../support/query-plans.ts';
import { integerBetween, mulberry32, propertySeed } from '../support/random.ts';
import { rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { hostedService } from '../support/service-host.ts';

const BOOKINGS = '/api/v1/bookings';
const HOLDS = '/api/v1/partner/holds';
const COUNT = scaled(10_000, 1600);
/** The smallest page size. During each page, one booking is made, one cancelled and one refunded. */
const SMALL_LIMIT = scaled(1, 5);
/** Only a hang takes this long: a page with its writes takes milliseconds on an idle machine. */
const TIMEOUT_MS = 900_000;
const PHONES = Array.from({ length: COUNT / 125 }, (_, index) => `+9198765432${String(index).padStart(2, '0')}`);

const random = mulberry32(propertySeed());
const service = await hostedService({ overrides: { RATE_LIMIT_PER_MINUTE: '0', CACHE_LEASE_MS: '2000' } });
afterAll(() => service.stop());
const venues = [await anyVenue(service, [{}, {}]), await anyVenue(service, [{}, {}])];
const venueIds = venues.map(({ id }) => id);
const seller = await anyPartner(service, venueIds);
const changed = new Set<string>();

const rows = () => service.context.db.collection('reservations');

const end = async (operation: 'cancel' | 'refund', bookingId: string) =>
  expectStatus(await sendEnd(seller, operation, bookingId), 200);

/** Makes the seller's first bookings at a venue: some of each status, on each resource. */
async function bookSome(venue: Venue): Promise<void> {
  const slots = await freeSlotIds(seller, venue.id);
  const perResource = slots.length / venue.resourceIds.length;
  for (const [index, slotId] of slots.entries()) {
    if (index % perResource > 3) continue;
    const bookingId = String((await bookSlot(seller, slotId))['booking_id']);
    if (index % perResource === 1) await end('cancel', bookingId);
    if (index % perResource === 2) await end('refund', bookingId);
  }
}

/** The ids of bookings, or of their holds (`_id`). */
const idsOf = async (filter: Json, field: 'bookingId' | '_id' = 'bookingId'): Promise<string[]> =>
  (await rows().distinct(field, filter)).map(String);

const shuffled = <T>(items: T[]): T[] =>
  items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);

for (const venue of venues) await bookSome(venue);
const originals = await rowsOf(service, 'reservations');
await copyBookings(service, originals, COUNT - originals.length, PHONES, random);
const booked = shuffled(await idsOf({ status: 'BOOKED' }));
/** Bookings of the starting set that the writers cancel and refund, and slots that they book. */
const toCancel = booked.slice(0, booked.length / 2);
const toRefund = shuffled([...booked.slice(booked.length / 2), ...(await idsOf({ status: 'CANCELLED' }))]);
const freeSlots: string[] = [];
for (const id of venueIds)
  for (let day = 10; day < 10 + scaled(30, 6); day += 1)
    freeSlots.push(...(await freeSlotIds(seller, id, dateIn(day))));

function next(supply: string[]): string {
  const one = supply.shift();
  if (one === undefined) throw new Error('The writers have nothing left to write');
  return one;
}

/** Confirms, cancels and refunds one booking each through the API, concurrently. */
async function writeSome(): Promise<void> {
  const ending = async (operation: 'cancel' | 'refund', bookingId: string) => {
    changed.add(bookingId);
    await end(operation, bookingId);
  };
  await Promise.all([
    bookSlot(seller, next(freeSlots)),
    ending('cancel', next(toCancel)),
    ending('refund', next(toRefund)),
  ]);
}

/** Pages of the API's listing. The limit may differ from page to page. */
function listing(path: string, id: 'booking_id' | 'hold_id', limit: () => number): ReadPage<string> {
  return async (cursor) => {
    const query = `${path.includes('?') ? '&' : '?'}limit=${limit()}`;
    const after = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = expectStatus(await seller.api.get(path + query + after), 200);
    const ids = (page['data'] as Json[]).map((row) => String(row[id]));
    return { ids, next: page['next_cursor'] as string | null };
  };
}

test(`the partner has ${COUNT} bookings, most of them with equal booked_at`, async () => {
  expect(await rows().countDocuments({ partnerId: seller.id, bookedAt: { $exists: true } })).toBe(COUNT);
  expect((await rows().distinct('bookedAt')).length).toBeLessThan(COUNT / 20);
  for (const status of ['BOOKED', 'CANCELLED', 'REFUNDED'])
    expect((await idsOf({ status })).length).toBeGreaterThan(COUNT / 10);
});

type Listing = {
  name: string;
  path: () => string;
  id?: 'booking_id' | 'hold_id';
  filter?: () => Json;
  /** Bookings leave the listing when they are cancelled or refunded. */
  isOfStatus?: boolean;
  limit: () => number;
};

const midnight = (days: number) => new Date(`${dateIn(days)}T00:00:00.000+05:30`);

describe('while bookings are confirmed, cancelled and refunded, pages neither repeat nor skip earlier bookings', () => {
  test.each<Listing>([
    { name: 'all, each page of another size', path: () => BOOKINGS, limit: () => integerBetween(random, 1, 200) },
    {
      name: `of one customer, ${SMALL_LIMIT} a page`,
      path: () => `${BOOKINGS}?customer_phone=${encodeURIComponent(PHONES[7] ?? '')}`,
      filter: () => ({ 'customer.phoneE164': PHONES[7] }),
      limit: () => SMALL_LIMIT,
    },
    {
      name: 'by dates and name, 150 a page',
      // At any hour of the day, this range has most of the bookings of the last 24 hours.
      path: () => `${BOOKINGS}?from=${dateIn(-1)}&to=${dateIn(0)}&customer_name=asha`,
      filter: () => ({ bookedAt: { $gte: midnight(-1), $lt: midnight(1) } }),
      limit: () => 150,
    },
    {
      name: 'of one status, 100 a page, for bookings that keep their status',
      path: () => `${BOOKINGS}?status=BOOKED`,
      filter: () => ({ status: 'BOOKED' }),
      isOfStatus: true,
      limit: () => 100,
    },
    { name: 'CONSUMED holds, 200 a page', path: () => `${HOLDS}?status=CONSUMED`, id: 'hold_id', limit: () => 200 },
  ])(
    '$name',
    async ({ path, id = 'booking_id', filter, isOfStatus, limit }) => {
      const all = { bookedAt: { $exists: true }, ...filter?.() };
      const before = await idsOf(all, id === 'hold_id' ? '_id' : 'bookingId');
      changed.clear();
      const pages = await readPages(listing(path(), id, limit), writeSome);
      const expected = isOfStatus === true ? before.filter((each) => !changed.has(each)) : before;
      expect(expected.length).toBeGreaterThanOrEqual(100);
      expect(pages.length).toBeGreaterThanOrEqual(expected.length / 200);
      expect(pagingFaults(pages, expected)).toEqual(NO_FAULTS);
    },
    TIMEOUT_MS,
  );
});

test.each([
  ['bookings', BOOKINGS, 'booking_id'],
  ['holds', HOLDS, 'hold_id'],
] as const)('every page of the %s reads only its own rows, in the order of an index', async (_name, path, id) => {
  const limit = 200;
  /** A page reads one extra row, to know whether there is a next page, and up to two more keys. */
  const isOfOnePage = ({ docsExamined, keysExamined, hasSortStage }: QueryPlan) =>
    !hasSortStage && docsExamined <= limit + 3 && keysExamined <= limit + 3;
  const readAll = () => readPages(listing(path, id, () => limit));
  const plans = await sortedQueriesOf(service, 'reservations', readAll);
  expect(plans.length).toBeGreaterThanOrEqual(COUNT / limit);
  expect(plans.filter((plan) => !isOfOnePage(plan))).toEqual([]);
});
