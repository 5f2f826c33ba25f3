import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { weekdayOf } from '../../src/platform/calendar.ts';
import { dateAfter } from '../availability/wall-clock.ts';
import type { Json, Partner } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  confirmBody,
  dateIn,
  expectStatus,
  operatorOf,
  placeHold,
  slotsOf,
} from '../support/factories.ts';
import type { SharedService } from '../support/service-host.ts';
import { sharedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const DATE = dateIn(5);
const MISSING = '00000000-0000-7000-8000-00000000dead';

let service: SharedService;
beforeAll(async () => {
  service = sharedService();
});
afterAll(() => service.stop());

/** A turf in UTC, open 18:00–02:00 for ₹ 1,200 an hour. */
async function shop() {
  const evening = { operating_hours_start: '18:00', operating_hours_end: '02:00' };
  const venue = await anyVenue(service, [evening], { time_zone: 'UTC' });
  const [resourceId = ''] = venue.resourceIds;
  const partner = await anyPartner(service, [venue.id]);
  const path = `/api/v1/operator/resources/${resourceId}`;
  const slotId = (hour: string, date = DATE) => `${resourceId}_${date.replaceAll('-', '')}T${hour}00Z`;
  return { venueId: venue.id, resourceId, partner, path, slotId };
}
type Shop = Awaited<ReturnType<typeof shop>>;

const add = async ({ path }: Shop, rule: Json) =>
  expectStatus(await operatorOf(service).post(`${path}/price-rules`, { name: 'Rule', ...rule }), 201);
const remove = (rule: Json) =>
  operatorOf(service).delete(`/api/v1/operator/price-rules/${String(rule['price_rule_id'])}`);
async function pricesOn(partner: Partner, venueId: string, date = DATE): Promise<unknown[]> {
  return (await slotsOf(partner, venueId, date)).map((slot) => slot['price_rupees']);
}

describe('the price rules of a resource', () => {
  test('are answered and listed as they were made, the oldest first, and go when they are deleted', async () => {
    const place = await shop();
    const peak = await add(place, { name: 'Peak', multiplier: 1.5 });
    const given = {
      name: 'Saturday',
      price_rupees: 1500.5,
      days_of_week: ['sat', 'sun'],
      start_time: '18:00',
      end_time: '02:00',
      from_date: '2026-11-01',
      to_date: '2026-12-31',
      priority: 7,
    };
    const saturday = await add(place, given);
    const common = {
      resource_id: place.resourceId,
      price_rule_id: expect.any(String),
      created_at: expect.any(String),
    };
    expect(saturday).toEqual({ ...common, ...given, multiplier: null });
    expect(peak).toEqual({
      ...common,
      name: 'Peak',
      price_rupees: null,
      multiplier: 1.5,
      days_of_week: null,
      start_time: null,
      end_time: null,
      from_date: null,
      to_date: null,
      priority: 0,
    });
    const toMidnight = await add(place, { price_rupees: 1, start_time: '20:00', end_time: '24:00' });
    expect(toMidnight).toMatchObject({ start_time: '20:00', end_time: '00:00' });
    await remove(toMidnight);
    const list = async () => (await operatorOf(service).get(`${place.path}/price-rules`)).body;
    expect(await list()).toEqual({ success: true, count: 2, data: [peak, saturday] });
    const one = (rule: Json) =>
      operatorOf(service).get(`/api/v1/operator/price-rules/${String(rule['price_rule_id'])}`);
    expect([(await one(peak)).body, (await one(saturday)).body]).toEqual([peak, saturday]);
    expect([verdict(await remove(peak)), verdict(await remove(peak))]).toEqual([
      '204',
      '404 PRICE_RULE_NOT_FOUND',
    ]);
    expect(await list()).toEqual({ success: true, count: 1, data: [saturday] });
    expect(verdict(await one(peak))).toBe('404 PRICE_RULE_NOT_FOUND');
  });

  test('are of that resource alone', async () => {
    const [place, other] = [await shop(), await shop()];
    await add(place, { price_rupees: 1 });
    expect(new Set(await pricesOn(place.partner, place.venueId))).toEqual(new Set([1]));
    expect(new Set(await pricesOn(other.partner, other.venueId))).toEqual(new Set([1200]));
  });

  test('are at most 100: racing for the last place, one gets it', async () => {
    const place = await shop();
    for (let count = 0; count < 99; count += 1) await add(place, { price_rupees: count });
    const rule = { name: 'The last', price_rupees: 1 };
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => operatorOf(service).post(`${place.path}/price-rules`, rule)),
    );
    const rejected = Array<string>(7).fill('400 VALIDATION_ERROR resource_id');
    expect(replies.map(verdict).sort()).toEqual(['201', ...rejected]);
  });

  test.each<[string, Json, string]>([
    ['neither price', {}, 'multiplier, price_rupees'],
    ['both prices', { price_rupees: 1, multiplier: 1 }, 'multiplier, price_rupees'],
    [
      'a first date after the last',
      { price_rupees: 1, from_date: '2027-01-02', to_date: '2027-01-01' },
      'from_date',
    ],
    [
      'every field at fault',
      { multiplier: 0.01, days_of_week: ['noday'], start_time: '25:00', end_time: '6', priority: 1001 },
      'days_of_week.0, end_time, multiplier, priority, start_time',
    ],
  ])('are refused with %s', async (_name, body, paths) => {
    const { path } = await shop();
    const reply = await operatorOf(service).post(`${path}/price-rules`, { name: 'Rule', ...body });
    expect(verdict(reply)).toBe(`400 VALIDATION_ERROR ${paths}`);
  });

  test('need a resource, and one that exists to be deleted', async () => {
    const operator = operatorOf(service);
    const none = '/api/v1/operator/resources/none/price-rules';
    expect(verdict(await operator.post(none, { name: 'Rule', price_rupees: 1 }))).toBe(
      '404 RESOURCE_NOT_FOUND',
    );
    expect(verdict(await operator.get(none))).toBe('404 RESOURCE_NOT_FOUND');
    expect(verdict(await remove({ price_rule_id: MISSING }))).toBe('404 PRICE_RULE_NOT_FOUND');
  });
});

describe('what slots cost', () => {
  test('is what the rules say for their operating day, on one date as over several', async () => {
    const place = await shop();
    await add(place, { price_rupees: 1500, start_time: '20:00', end_time: '01:00', priority: 1 });
    await add(place, { multiplier: 2, start_time: '23:00', end_time: '02:00', priority: 2 });
    await add(place, { price_rupees: 900, days_of_week: [weekdayOf(dateAfter(DATE, 1))], priority: 3 });
    const expected = [1200, 1200, 1500, 1500, 1500, 2400, 2400, 2400];
    expect(await pricesOn(place.partner, place.venueId)).toEqual(expected);
    expect(await pricesOn(place.partner, place.venueId, dateAfter(DATE, 1))).toEqual(expected.map(() => 900));
    const query = `venue_id=${place.venueId}&from=${DATE}&to=${dateAfter(DATE, 1)}`;
    const range = expectStatus(await place.partner.api.get(`/api/v1/slots/availability/range?${query}`), 200);
    const days = range['days'] as { slots: Json[] }[];
    expect(days.map(({ slots }) => slots.map((slot) => slot['price_rupees']))).toEqual([
      expected,
      expected.map(() => 900),
    ]);
  });

  test('is alike in availability, holds by id and by window, alternatives, walk-ins and the sandbox’s', async () => {
    const place = await shop();
    await add(place, {
      multiplier: 1.25,
      days_of_week: [weekdayOf(DATE)],
      start_time: '23:00',
      end_time: '02:00',
    });
    const { partner, venueId, resourceId, slotId } = place;
    const [, , , , , late, midnight, last] = await slotsOf(partner, venueId, DATE);
    expect([late, midnight, last].map((slot) => slot?.['price_rupees'])).toEqual([1500, 1500, 1500]);
    expect(await placeHold(partner, String(late?.['slot_id']))).toMatchObject({ price_rupees: 1500 });
    const window = { venue_id: venueId, resource_id: resourceId, slot_start: midnight?.['slot_start'] };
    expect(expectStatus(await partner.api.post('/api/v1/partner/holds', window), 201)).toMatchObject({
      price_rupees: 1500,
    });
    const { alternatives } = errorOf(
      await partner.api.post('/api/v1/partner/holds', { slot_id: midnight?.['slot_id'] }),
    ).conflict as { alternatives: Json[] };
    expect(alternatives[0]).toMatchObject({ slot_id: last?.['slot_id'], price_rupees: 1500 });
    const walkIn = { slot_id: last?.['slot_id'] };
    expect(
      expectStatus(await operatorOf(service).post('/api/v1/operator/walk-ins', walkIn), 201),
    ).toMatchObject({
      price_rupees: 1500,
    });
    const sold = await partner.api.post(`/api/v1/sandbox/slots/${slotId('22')}/walk-in`, {});
    const bookingId = expectStatus(sold, 201)['booking_id'];
    const row = await service.context.db.collection('reservations').findOne({ bookingId });
    expect(row).toMatchObject({ pricePaise: 120_000 });
  });

  test('changes for what is sold next, never for what is held or booked', async () => {
    const place = await shop();
    const { partner, slotId } = place;
    const rule = await add(place, { price_rupees: 1500 });
    const hold = await placeHold(partner, slotId('18'));
    await remove(rule);
    await add(place, { price_rupees: 2000 });
    const path = `/api/v1/partner/holds/${String(hold['hold_id'])}`;
    expect(expectStatus(await partner.api.get(path), 200)).toMatchObject({ price_rupees: 1500 });
    const booking = expectStatus(
      await partner.api.post('/api/v1/bookings/confirm', confirmBody(hold['hold_id'])),
      201,
    );
    await add(place, { multiplier: 10 });
    const read = await partner.api.get(`/api/v1/bookings/${String(booking['booking_id'])}`);
    expect([booking['price_rupees'], expectStatus(read, 200)['price_rupees']]).toEqual([1500, 1500]);
    expect(await placeHold(partner, slotId('19'))).toMatchObject({ price_rupees: 12_000 });
  });

  test('a multiplier follows the base price', async () => {
    const place = await shop();
    await add(place, { multiplier: 1.1 });
    expectStatus(await operatorOf(service).patch(place.path, { price_rupees: 100.05 }), 200);
    expect(new Set(await pricesOn(place.partner, place.venueId))).toEqual(new Set([110.06]));
  });
});
