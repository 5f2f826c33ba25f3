import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addDays } from '../../src/platform/calendar.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  dateIn,
  expectStatus,
  freeSlotIds,
  placeHold,
  slotsOf,
} from '../support/factories.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';

let service: Service;
let partner: Partner;
let venue: Venue;

beforeAll(async () => {
  service = await startService();
  const night = { name: 'Night', operating_hours_start: '18:00', operating_hours_end: '02:00' };
  venue = await anyVenue(service, [{}, night]);
  partner = await anyPartner(service, [venue.id]);
});
afterAll(() => service.stop());

const range = (from: string, to: string, more = '') =>
  partner.api.get(`/api/v1/slots/availability/range?venue_id=${venue.id}&from=${from}&to=${to}${more}`);

test('each day of a range is what that day alone answers, held slots and hours past midnight included', async () => {
  const [from, to] = [dateIn(3), dateIn(6)];
  const [slotId] = await freeSlotIds(partner, venue.id, dateIn(4));
  await placeHold(partner, String(slotId));

  const body = expectStatus(await range(from, to), 200);

  const alone = [];
  for (let date = from; date <= to; date = addDays(date, 1)) {
    alone.push({ date, slots: await slotsOf(partner, venue.id, date) });
  }
  expect(body).toEqual({ venue_id: venue.id, from, to, days: alone });
  expect(JSON.stringify(body)).toContain('"unavailable_reason":"held"');
});

test('a range may name one resource', async () => {
  const resourceId = String(venue.resourceIds[1]);
  const body = expectStatus(await range(dateIn(3), dateIn(4), `&resource_id=${resourceId}`), 200);
  const days = body['days'] as { slots: Json[] }[];
  expect(days.map(({ slots }) => slots.length)).toEqual([8, 8]);
  expect(new Set(days.flatMap(({ slots }) => slots.map((slot) => slot['resource_id'])))).toEqual(
    new Set([resourceId]),
  );
});

test('31 days are the most', async () => {
  const body = expectStatus(await range('2027-01-01', '2027-01-31'), 200);
  expect(body['days']).toHaveLength(31);
  expect((await range('2027-01-01', '2027-02-01')).status).toBe(400);
  expect((await range('0001-01-01', '9999-12-31')).status).toBe(400);
});

test.each([
  ['from after to', '2027-01-02', '2027-01-01', '"path":"from"'],
  ['a date that does not exist', '2027-02-30', '2027-03-01', '"path":"from"'],
  ['no end', '2027-02-20', '', '"path":"to"'],
])('%s is refused by name', async (_what, from, to, path) => {
  const refused = await range(from, to);
  expect(refused.status).toBe(400);
  expect(refused.text).toContain(path);
});

test('an unchanged range answers 304 to its ETag', async () => {
  const first = await range(dateIn(10), dateIn(11));
  const again = await partner.api.get(
    `/api/v1/slots/availability/range?venue_id=${venue.id}&from=${dateIn(10)}&to=${dateIn(11)}`,
    { 'if-none-match': String(first.headers.get('etag')) },
  );
  expect([first.status, again.status]).toEqual([200, 304]);
});
