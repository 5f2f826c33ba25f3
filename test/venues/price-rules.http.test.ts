import { afterAll, describe, expect, test } from '@jest/globals';
import { dateAfter } from '../availability/wall-clock.ts';
import type { Json } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn, expectStatus, operatorOf, placeHold, slotsOf } from '../support/factories.ts';
import { sharedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const DATE = dateIn(5);

const service = sharedService();
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
const shared = await shop();

describe('the price rules of a resource', () => {
  test('are returned and listed as created, the oldest first, until they are deleted', async () => {
    const place = await shop();
    const peak = await add(place, { name: 'Peak', multiplier: 1.5 });
    const fields = {
      name: 'Saturday',
      price_rupees: 1500.5,
      days_of_week: ['sat', 'sun'],
      start_time: '18:00',
      end_time: '02:00',
      from_date: '2026-11-01',
      to_date: '2026-12-31',
      priority: 7,
    };
    const saturday = await add(place, fields);
    const generated = { price_rule_id: expect.any(String), created_at: expect.any(String) };
    const common = { resource_id: place.resourceId, ...generated };
    expect(saturday).toEqual({ ...common, ...fields, multiplier: null });
    const unset = Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
    expect(peak).toEqual({ ...common, ...unset, name: 'Peak', multiplier: 1.5, priority: 0 });
    const toMidnight = await add(place, { price_rupees: 1, start_time: '20:00', end_time: '24:00' });
    expect(toMidnight).toMatchObject({ start_time: '20:00', end_time: '00:00' });
    await remove(toMidnight);
    const list = async () => (await operatorOf(service).get(`${place.path}/price-rules`)).body;
    expect(await list()).toEqual({ success: true, count: 2, data: [peak, saturday] });
    const one = (rule: Json) =>
      operatorOf(service).get(`/api/v1/operator/price-rules/${String(rule['price_rule_id'])}`);
    expect([(await one(peak)).body, (await one(saturday)).body]).toEqual([peak, saturday]);
    expect([verdict(await remove(peak)), verdict(await remove(peak))]).toEqual(['204', '404 PRICE_RULE_NOT_FOUND']);
    expect(await list()).toEqual({ success: true, count: 1, data: [saturday] });
    expect(verdict(await one(peak))).toBe('404 PRICE_RULE_NOT_FOUND');
  });

  test('are at most 100: of concurrent calls for the last place, one succeeds', async () => {
    const place = await shop();
    await add(place, { price_rupees: 0 });
    const resources = service.context.db.collection<{ _id: string; priceRules: object[] }>('resources');
    const filter = { _id: place.resourceId };
    const [first] = (await resources.findOne(filter))?.priceRules ?? [];
    const priceRules = Array.from({ length: 99 }, (_, index) => ({ ...first, id: `rule-${index}` }));
    await resources.updateOne(filter, { $set: { priceRules } });
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
    ['a first date after the last', { price_rupees: 1, from_date: '2027-01-02', to_date: '2027-01-01' }, 'from_date'],
    [
      'every field at fault',
      { multiplier: 0.01, days_of_week: ['noday'], start_time: '25:00', end_time: '6', priority: 1001 },
      'days_of_week.0, end_time, multiplier, priority, start_time',
    ],
  ])('are rejected with %s', async (_name, body, paths) => {
    const reply = await operatorOf(service).post(`${shared.path}/price-rules`, { name: 'Rule', ...body });
    expect(verdict(reply)).toBe(`400 VALIDATION_ERROR ${paths}`);
  });

  test('are 404 at a missing resource', async () => {
    const operator = operatorOf(service);
    const none = '/api/v1/operator/resources/none/price-rules';
    expect(verdict(await operator.post(none, { name: 'Rule', price_rupees: 1 }))).toBe('404 RESOURCE_NOT_FOUND');
    expect(verdict(await operator.get(none))).toBe('404 RESOURCE_NOT_FOUND');
  });
});

test('a price rule applies to alternatives, walk-ins and sandbox walk-ins as it does to availability', async () => {
  const place = await shop();
  await add(place, { multiplier: 1.25, start_time: '23:00', end_time: '02:00' });
  const { partner, slotId } = place;
  const late = slotId('23');
  await placeHold(partner, late);
  const reply = await partner.api.post('/api/v1/partner/holds', { slot_id: late });
  const { alternatives } = errorOf(reply).conflict as { alternatives: Json[] };
  const next = slotId('00', dateAfter(DATE, 1));
  expect([alternatives[0], (await slotsOf(partner, place.venueId, DATE))[6]]).toMatchObject([
    { slot_id: slotId('22'), price_rupees: 1200 },
    { slot_id: next, price_rupees: 1500 },
  ]);
  const walkIn = await operatorOf(service).post('/api/v1/operator/walk-ins', { slot_id: next });
  expect(expectStatus(walkIn, 201)).toMatchObject({ price_rupees: 1500 });
  const sold = await partner.api.post(`/api/v1/sandbox/slots/${slotId('01', dateAfter(DATE, 1))}/walk-in`, {});
  const bookingId = expectStatus(sold, 201)['booking_id'];
  const row = await service.context.db.collection('reservations').findOne({ bookingId });
  expect(row).toMatchObject({ pricePaise: 150_000 });
});
