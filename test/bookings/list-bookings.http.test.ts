import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Json, Partner, Venue } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  bookSlot,
  expectStatus,
  freeSlotIds,
  operatorOf,
  placeHold,
} from '../support/factories.ts';
import { sortedQueriesOf } from '../support/query-plans.ts';
import { rowOf } from '../support/rows.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';

let service: Service;
let venue: Venue;
let london: Venue;
let slots: string[];
let londonSlots: string[];

beforeAll(async () => {
  service = await startService();
  venue = await anyVenue(service, [{}, {}, {}]);
  london = await anyVenue(service, [{}], { time_zone: 'Europe/London' });
  const reader = await anyPartner(service, [venue.id, london.id]);
  slots = await freeSlotIds(reader, venue.id);
  londonSlots = await freeSlotIds(reader, london.id);
});
afterAll(() => service.stop());

const newPartner = () => anyPartner(service, [venue.id, london.id]);
const book = async (by: Partner, fields: Json = {}, slotId = slots.shift() ?? '') =>
  String((await bookSlot(by, slotId, fields))['booking_id']);

async function list(by: Partner, query: Record<string, string | number> = {}): Promise<Json> {
  const text = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return expectStatus(await by.api.get(`/api/v1/bookings?${text.join('&')}`), 200);
}
const idsOf = (page: Json) => (page['data'] as Json[]).map((booking) => String(booking['booking_id']));
const listed = async (by: Partner, query?: Record<string, string | number>) => idsOf(await list(by, query));

/** Makes a booking look as if it was made at another time. */
const bookedAt = (bookingId: string, instant: string) =>
  service.context.db
    .collection('reservations')
    .updateOne({ bookingId }, { $set: { bookedAt: new Date(instant) } });

/** A booking made at `instant`. */
async function bookedThen(by: Partner, instant: string, slotId?: string): Promise<string> {
  const id = await book(by, {}, slotId);
  await bookedAt(id, instant);
  return id;
}

describe('GET /api/v1/bookings', () => {
  test("lists the partner's own bookings, newest booked_at first, as each is read by itself", async () => {
    const [seller, rival] = [await newPartner(), await newPartner()];
    const [first, second] = [await book(seller), await book(seller)];
    await book(rival);
    await placeHold(seller, slots.shift() ?? '');
    const reads = await Promise.all(
      [second, first].map(async (id) => expectStatus(await seller.api.get(`/api/v1/bookings/${id}`), 200)),
    );
    expect(await list(seller)).toEqual({ success: true, count: 2, data: reads, next_cursor: null });
    expect(await listed(seller, { partner_id: rival.id })).toEqual([second, first]);
  });

  test('is empty for a partner that has none', async () => {
    expect(await list(await newPartner())).toEqual({ success: true, count: 0, data: [], next_cursor: null });
  });
});

describe('the filter', () => {
  test('venue_id', async () => {
    const seller = await newPartner();
    const here = await book(seller);
    const there = await book(seller, {}, londonSlots.shift());
    expect(await listed(seller, { venue_id: venue.id })).toEqual([here]);
    expect(await listed(seller, { venue_id: london.id.toUpperCase() })).toEqual([there]);
    const foreign = await anyVenue(service);
    expect(await listed(seller, { venue_id: foreign.id })).toEqual([]);
    expect(await listed(seller, { venue_id: '00000000-0000-7000-8000-00000000dead' })).toEqual([]);
  });

  test('venue_id still shows own bookings when the grant has ended', async () => {
    const seller = await newPartner();
    const id = await book(seller);
    await operatorOf(service).delete(`/api/v1/operator/partners/${seller.id}/venues/${venue.id}`);
    expect(await listed(seller, { venue_id: venue.id })).toEqual([id]);
    expect(await listed(seller)).toEqual([id]);
  });

  test('status', async () => {
    const seller = await newPartner();
    const [booked, cancelled, refunded] = [await book(seller), await book(seller), await book(seller)];
    await seller.api.post(`/api/v1/bookings/${cancelled}/cancel`, { reason: 'r', idempotency_key: 'c' });
    await seller.api.post(`/api/v1/bookings/${refunded}/refund`, { reason: 'r', idempotency_key: 'r' });
    expect(await listed(seller, { status: 'BOOKED' })).toEqual([booked]);
    expect(await listed(seller, { status: 'CANCELLED' })).toEqual([cancelled]);
    expect(await listed(seller, { status: 'REFUNDED' })).toEqual([refunded]);
    expect(await listed(seller)).toEqual([refunded, cancelled, booked]);
  });

  test('customer_phone, however either was written', async () => {
    const seller = await newPartner();
    const spoken = await book(seller, { customer_phone: '98450 12345' });
    const dialled = await book(seller, { customer_phone: '+919845012345' });
    await book(seller, { customer_phone: '9845012346' });
    for (const phone of ['9845012345', '+91 98450-12345', '09845012345', '+919845012345']) {
      expect(await listed(seller, { customer_phone: phone })).toEqual([dialled, spoken]);
    }
    expect(await listed(seller, { customer_phone: '9845012347' })).toEqual([]);
  });

  test('customer_name is a prefix in any case, and nothing in it is a pattern', async () => {
    const seller = await newPartner();
    const asha = await book(seller, { customer_name: 'Asha Rao' });
    const ashok = await book(seller, { customer_name: 'ASHOK' });
    const dotted = await book(seller, { customer_name: 'A.*[x] (ltd)' });
    const umlaut = await book(seller, { customer_name: 'Özil' });
    const hindi = await book(seller, { customer_name: 'नितिन' });
    expect(await listed(seller, { customer_name: 'ASH' })).toEqual([ashok, asha]);
    expect(await listed(seller, { customer_name: 'asha r' })).toEqual([asha]);
    expect(await listed(seller, { customer_name: 'A.*' })).toEqual([dotted]);
    expect(await listed(seller, { customer_name: 'a.*[X] (L' })).toEqual([dotted]);
    expect(await listed(seller, { customer_name: 'öz' })).toEqual([umlaut]);
    expect(await listed(seller, { customer_name: 'O\u0308ZIL' })).toEqual([umlaut]);
    expect(await listed(seller, { customer_name: 'नि' })).toEqual([hindi]);
    for (const nothing of ['sha', 'Rao', '^Asha', '$', 'Asha Rao ']) {
      expect(await listed(seller, { customer_name: nothing })).toEqual([]);
    }
  });

  test('hold_id and payment_reference find the booking of one hold, and those of one payment', async () => {
    const [seller, rival] = [await newPartner(), await newPartner()];
    const paid = { payment_reference: 'pay 7/α' };
    const made = await bookSlot(seller, slots.shift() ?? '', paid);
    const [id, holdId] = [String(made['booking_id']), String(made['hold_id'])];
    const second = await book(seller, paid);
    await book(seller, { payment_reference: 'pay 7' });
    const theirs = await book(rival, paid);
    expect(await listed(seller, { hold_id: holdId })).toEqual([id]);
    expect(await listed(rival, { hold_id: holdId })).toEqual([]);
    expect(
      await listed(seller, { hold_id: String((await placeHold(seller, slots.shift() ?? ''))['hold_id']) }),
    ).toEqual([]);
    const ofPayment = await listed(seller, paid);
    expect(ofPayment).toEqual([second, id]);
    expect(await listed(rival, paid)).toEqual([theirs]);
    expect(await listed(seller, { payment_reference: 'PAY 7/α' })).toEqual([]);
    expect(await listed(seller, { ...paid, hold_id: holdId, status: 'CANCELLED' })).toEqual([]);
  });

  test('hold_id and payment_reference look at no more bookings than they find', async () => {
    const seller = await newPartner();
    const made = await bookSlot(seller, slots.shift() ?? '', { payment_reference: 'once' });
    for (let count = 0; count < 4; count += 1) await book(seller);
    const plans = await sortedQueriesOf(service, 'reservations', async () => {
      await list(seller, { hold_id: String(made['hold_id']) });
      await list(seller, { payment_reference: 'once' });
      await operatorOf(service).get('/api/v1/operator/bookings?payment_reference=once');
    });
    expect(plans.map(({ docsExamined }) => docsExamined)).toEqual([1, 1, 1]);
  });

  test('several together are all to be met', async () => {
    const seller = await newPartner();
    const wanted = await book(seller, { customer_name: 'Asha', customer_phone: '9845012345' });
    await book(seller, { customer_name: 'Asha', customer_phone: '9845012346' });
    await book(seller, { customer_name: 'Bina', customer_phone: '9845012345' });
    const query = {
      customer_name: 'asha',
      customer_phone: '9845012345',
      venue_id: venue.id,
      status: 'BOOKED',
    };
    expect(await listed(seller, query)).toEqual([wanted]);
    expect(await listed(seller, { ...query, venue_id: london.id })).toEqual([]);
  });
});

describe('from and to', () => {
  test("are whole dates of booked_at, both included, in the service's zone", async () => {
    const seller = await newPartner();
    await bookedThen(seller, '2026-03-01T18:29:59.999Z');
    const first = await bookedThen(seller, '2026-03-01T18:30:00.000Z');
    const last = await bookedThen(seller, '2026-03-03T18:29:59.999Z');
    await bookedThen(seller, '2026-03-03T18:30:00.000Z');
    expect(await listed(seller, { from: '2026-03-02', to: '2026-03-03' })).toEqual([last, first]);
    expect(await listed(seller, { from: '2026-03-02', to: '2026-03-02' })).toEqual([first]);
    expect(await listed(seller, { from: '2026-03-04', to: '2026-03-04' })).toHaveLength(1);
    expect(await listed(seller, { from: '2026-03-02' })).toHaveLength(3);
    expect(await listed(seller, { to: '2026-03-03' })).toHaveLength(3);
  });

  test("are dates of the venue's zone where a venue is named", async () => {
    const seller = await newPartner();
    const id = await bookedThen(seller, '2026-03-01T20:00:00.000Z', londonSlots.shift());
    const day = (date: string, query = {}) => listed(seller, { from: date, to: date, ...query });
    expect(await day('2026-03-01', { venue_id: london.id })).toEqual([id]);
    expect(await day('2026-03-02', { venue_id: london.id })).toEqual([]);
    expect(await day('2026-03-02')).toEqual([id]);
    expect(await day('2026-03-01')).toEqual([]);
  });

  test('follow the clocks: the day of 23 hours ends an hour earlier', async () => {
    const seller = await newPartner();
    const inside = await bookedThen(seller, '2026-03-29T22:59:59.999Z', londonSlots.shift());
    await bookedThen(seller, '2026-03-29T23:00:00.000Z', londonSlots.shift());
    const query = { from: '2026-03-29', to: '2026-03-29', venue_id: london.id };
    expect(await listed(seller, query)).toEqual([inside]);
  });
});

describe('paging', () => {
  async function pagesOf(
    by: Partner,
    limit: number,
    query = {},
    between = async () => {},
  ): Promise<string[][]> {
    const pages: string[][] = [];
    let cursor: string | null = null;
    do {
      const page: Json = await list(by, {
        ...query,
        limit,
        ...(cursor === null ? {} : { cursor }),
      });
      expect(page['count']).toBe(idsOf(page).length);
      pages.push(idsOf(page));
      cursor = page['next_cursor'] as string | null;
      await between();
    } while (cursor !== null);
    return pages;
  }

  test('never repeats or skips where bookings were made in the same millisecond', async () => {
    const seller = await newPartner();
    const tied: string[] = [];
    for (let count = 0; count < 5; count += 1)
      tied.push(await bookedThen(seller, '2026-03-01T10:00:00.000Z'));
    const [older, newer] = [
      await bookedThen(seller, '2026-03-01T09:59:59.999Z'),
      await bookedThen(seller, '2026-03-01T10:00:00.001Z'),
    ];
    const all = [newer, ...tied.toSorted().toReversed(), older];
    for (const limit of [1, 2, 3, 7, 200]) {
      const pages = await pagesOf(seller, limit);
      expect(pages.flat()).toEqual(all);
      expect(pages).toHaveLength(Math.ceil(7 / limit));
    }
  });

  test('is not shifted by bookings and cancels that come between pages', async () => {
    const seller = await newPartner();
    const ids = [await book(seller), await book(seller), await book(seller), await book(seller)];
    let steps = 0;
    const pages = await pagesOf(seller, 2, {}, async () => {
      steps += 1;
      if (steps > 1) return;
      await book(seller);
      await seller.api.post(`/api/v1/bookings/${ids[0]}/cancel`, { reason: 'r', idempotency_key: 'k' });
    });
    expect(pages.flat()).toEqual(ids.toReversed());
  });

  test('goes on within a filter', async () => {
    const seller = await newPartner();
    const wanted = [await book(seller, { customer_name: 'Asha' })];
    await book(seller, { customer_name: 'Bina' });
    wanted.push(await book(seller, { customer_name: 'asha 2' }));
    expect(await pagesOf(seller, 1, { customer_name: 'asha' })).toEqual([[wanted[1]], [wanted[0]]]);
  });

  test('gives 50 at a time where no limit is named', async () => {
    const seller = await newPartner();
    const id = await book(seller);
    const { confirmKey: _unique, ...row } = await rowOf(service, 'reservations', { bookingId: id });
    const copies = Array.from({ length: 50 }, () => {
      const name = randomUUID();
      return { ...row, _id: name as never, bookingId: name, cells: [name] };
    });
    await service.context.db.collection('reservations').insertMany(copies);
    const page = await list(seller);
    expect(page['count']).toBe(50);
    expect(page['next_cursor']).toEqual(expect.any(String));
    expect(await list(seller, { cursor: String(page['next_cursor']) })).toMatchObject({
      count: 1,
      next_cursor: null,
    });
  });
});
