import { afterAll, describe, expect, test } from '@jest/globals';
import type { Json } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn, expectStatus, operatorOf } from '../support/factories.ts';
import { sharedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';
import { wallMsOf } from './wall-clock.ts';

const DATE = dateIn(3);
const service = sharedService();
afterAll(() => service.stop());
const HOURS = { operating_hours_start: '17:00', operating_hours_end: '21:00', duration_minutes: 60 };
const FOOTBALL = { ...HOURS, sport_category: 'Football' };
/** Two venues in Bengaluru, the second with tennis too, and one elsewhere. */
const venues = [
  await anyVenue(service, [FOOTBALL], { city: 'Bengaluru' }),
  await anyVenue(service, [FOOTBALL, { ...HOURS, sport_category: 'tennis' }], { city: 'Bengaluru' }),
  await anyVenue(service, [FOOTBALL], { city: 'İzmir Straße' }),
];
const venueIds = venues.map(({ id }) => id).sort();
const partner = await anyPartner(service, venueIds);
/** Open from 22:00 to 02:00. */
const LATE = { ...HOURS, operating_hours_start: '22:00', operating_hours_end: '02:00' };
const nightPartner = await anyPartner(service, [(await anyVenue(service, [LATE])).id]);

const ask = (query: string, caller = partner) => caller.api.get(`/api/v1/slots/search?date=${DATE}${query}`);
const find = async (query = '', caller = partner) => expectStatus(await ask(query, caller), 200)['data'] as Json[];
const wallTimeOf = (instant: string) =>
  new Date(wallMsOf(Date.parse(instant), 'Asia/Kolkata')).toISOString().slice(11, 16);
const venuesIn = (slots: readonly Json[]) => [...new Set(slots.map((slot) => slot['venue_id']))];

describe('a search for free slots', () => {
  test.each([
    ['&city=bengaluru', 2, 12],
    ['&city=BENGALURU&sport=TENNIS', 1, 4],
    ['&sport=football', 3, 12],
    ['&city=Nowhere', 0, 0],
    ['&city=%C4%B0ZM%C4%B0R%20STRASSE', 1, 4],
    ['&from=19:00', 3, 8],
    ['&from=18:00&to=19:00', 3, 4],
    ['&to=17:05', 3, 4],
  ])('%s finds slots of %i venues, %i in all', async (query, ...counts) => {
    const found = await find(query);
    expect([venuesIn(found).length, found.length]).toEqual(counts);
  });

  test.each([
    ['&from=23:00', ['23:00', '00:00', '01:00']],
    ['&from=23:00&to=01:00', ['23:00', '00:00']],
    ['&from=00:00&to=02:00', ['00:00', '01:00']],
    ['&from=21:00&to=23:00', ['22:00']],
    ['&to=23:00', ['22:00', '00:00', '01:00']],
    ['&to=01:00', ['00:00']],
    ['&to=00:00', ['22:00', '23:00']],
    ['&to=24:00', ['22:00', '23:00']],
    ['&from=23:00&to=24:00', ['23:00']],
    ['&from=01:00', ['22:00', '23:00', '00:00', '01:00']],
    ['&from=03:00&to=22:00', []],
  ])('at a venue open past midnight, %s finds the slots of %j', async (query, starts) => {
    const found = await find(query, nightPartner);
    expect(found.map(({ slot_start: start }) => wallTimeOf(String(start)))).toEqual(starts);
  });

  test('covers only the named venues', async () => {
    const [first = '', second = '', third = ''] = venueIds;
    expect(venuesIn(await find(`&venue_ids=${third},${first.toUpperCase()},${first}`))).toEqual([first, third]);
    expect(venuesIn(await find(`&venue_ids=${second}`))).toEqual([second]);
  });

  test('has a next page if there are more venues than one call covers', async () => {
    const many = await Promise.all(Array.from({ length: 21 }, () => anyVenue(service)));
    const ids = many.map(({ id }) => id);
    const owner = await anyPartner(service, ids);
    const first = expectStatus(await ask('', owner), 200);
    expect(venuesIn(first['data'] as Json[])).toHaveLength(20);
    const second = expectStatus(await ask(`&cursor=${String(first['next_cursor'])}`, owner), 200);
    expect(second['next_cursor']).toBeNull();
    const all = [...venuesIn(first['data'] as Json[]), ...venuesIn(second['data'] as Json[])];
    expect(all).toEqual(ids.toSorted());
  });

  test('finds nothing for a partner without venues, at an inactive venue or at one without resources', async () => {
    expect(await find('&sport=chess', await anyPartner(service))).toEqual([]);
    expect(await find('', await anyPartner(service, [(await anyVenue(service, [])).id]))).toEqual([]);
    const closed = await anyVenue(service, [{}]);
    const owner = await anyPartner(service, [closed.id]);
    expect(await find('', owner)).not.toEqual([]);
    expectStatus(await operatorOf(service).patch(`/api/v1/operator/venues/${closed.id}`, { status: 'inactive' }), 200);
    expect(await find('', owner)).toEqual([]);
  });
});

test.each([
  ['&venue_ids=x', 'venue_ids'],
  ['&venue_ids=', 'venue_ids'],
  ['&sport=%20', 'sport'],
  ['&from=19:00&to=19:00', 'to'],
  ['&from=24:00', 'from'],
  ['&to=24:05', 'to'],
  ['&cursor=x', 'cursor'],
  ['&venue_id=x', 'venue_id'],
])('a search with %s is rejected, and names the field', async (query, field) => {
  expect(verdict(await ask(query))).toBe(`400 VALIDATION_ERROR ${field}`);
});
