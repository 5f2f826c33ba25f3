import { afterAll, describe, expect, test } from '@jest/globals';
import { anyPartner, expectStatus, freeSlotIds, type Json, operatorOf } from '../support/factories.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const VENUES = '/api/v1/operator/venues';
const RESOURCES = '/api/v1/operator/resources';
const NO_CONFLICTS = { conflict_count: 0, conflicts: [] };
const ARENA = { name: 'Koramangala', address: '80 Feet Road', city: 'Bengaluru' };
const TURF = {
  name: 'Turf A',
  resource_type: 'turf',
  sport_category: 'football',
  duration_minutes: 60,
  price_rupees: 1200.5,
  operating_hours_start: '06:00',
  operating_hours_end: '23:55',
};

const overrides = { DEFAULT_TIME_ZONE: 'Europe/London' };
const service = await hostedService({ overrides, isAlone: true });
const operator = operatorOf(service);
afterAll(() => service.stop());

const read = async (path: string) => expectStatus(await operator.get(path), 200);
/** Creates a venue of this name; returns its id. */
const venueNamed = async (name: string) =>
  String(expectStatus(await operator.post(VENUES, { ...ARENA, name }), 201)['venue_id']);
const addTo = async (venueId: string, fields: Json = {}) =>
  operator.post(`${VENUES}/${venueId}/resources`, { ...TURF, ...fields });
const slug = async (venueId: string, fields: Json = {}) =>
  String(expectStatus(await addTo(venueId, fields), 201)['resource_id']);

describe('venues', () => {
  test("are added active and in the service's zone by default", async () => {
    const venue = expectStatus(await operator.post(VENUES, ARENA), 201);
    const venueId = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(venue).toEqual({ venue_id: venueId, ...ARENA, status: 'active', time_zone: 'Europe/London' });
    expect(await read(`${VENUES}/${String(venue['venue_id'])}`)).toEqual(venue);
    const stated = { ...ARENA, status: 'inactive' };
    const inLowerCase = { ...stated, time_zone: 'australia/lord_howe' };
    const spelled = { ...stated, time_zone: 'Australia/Lord_Howe' };
    expect(expectStatus(await operator.post(VENUES, inLowerCase), 201)).toMatchObject(spelled);
  });

  test.each<[Json]>([[{ name: '$name', address: 'Elsewhere', city: 'Pune', time_zone: 'Asia/Kolkata' }], [{}]])(
    'a PATCH with %j changes only the given fields',
    async (change) => {
      const before = expectStatus(await operator.post(VENUES, ARENA), 201);
      const path = `${VENUES}/${String(before['venue_id'])}`;
      expect(expectStatus(await operator.patch(path, { ...change, venue_id: 'other' }), 200)).toEqual({
        ...before,
        ...change,
        ...NO_CONFLICTS,
      });
      expect(await read(path)).toEqual({ ...before, ...change });
    },
  );

  test.each<[Json, string]>([
    [{ time_zone: 'SystemV/PST8', status: 'closed', name: '' }, 'name, status, time_zone'],
    [{ address: null, city: 7 }, 'address, city'],
  ])('a PATCH with %j is rejected as a whole', async (change, paths) => {
    const before = expectStatus(await operator.post(VENUES, ARENA), 201);
    const path = `${VENUES}/${String(before['venue_id'])}`;
    expect(verdict(await operator.patch(path, { ...change, city: change['city'] ?? 'Pune' }))).toBe(
      `400 VALIDATION_ERROR ${paths}`,
    );
    expect(await read(path)).toEqual(before);
  });
});

describe('resources', () => {
  test('are added to a venue, and read and listed as added', async () => {
    const venueId = await venueNamed('Whole Ground');
    const resource = expectStatus(await addTo(venueId), 201);
    expect(resource).toEqual({
      resource_id: 'whole-ground-turf-a',
      venue_id: venueId,
      ...TURF,
      shares_space_with: [],
      has_schedule: false,
      status: 'active',
    });
    expect(await read(`${RESOURCES}/whole-ground-turf-a`)).toEqual(resource);
    expect(await read(`${VENUES}/${venueId}/resources`)).toEqual({ success: true, count: 1, data: [resource] });
  });

  test.each<[Json]>([
    [{ name: '$name', resource_type: 'court', sport_category: 'tennis', duration_minutes: 5, price_rupees: 0 }],
    [{ duration_minutes: 1440, price_rupees: 10_000_000, operating_hours_start: '18:00' }],
  ])('a PATCH with %j changes only the given fields, and never the id', async (change) => {
    const before = expectStatus(await addTo(await venueNamed('Arena')), 201);
    const path = `${RESOURCES}/${String(before['resource_id'])}`;
    const reply = await operator.patch(path, { ...change, resource_id: 'other', venue_id: 'other' });
    expect(expectStatus(reply, 200)).toEqual({ ...before, ...change, ...NO_CONFLICTS });
    expect(await read(path)).toEqual({ ...before, ...change });
  });

  test.each<[Json, string]>([
    [{ duration_minutes: 7, operating_hours_start: '06:01' }, 'duration_minutes, operating_hours_start'],
    [{ duration_minutes: 1445, price_rupees: 9.999 }, 'duration_minutes, price_rupees'],
    [{ status: 'closed', operating_hours_end: '24:05' }, 'operating_hours_end, status'],
    [{ shares_space_with: ['nothing'] }, 'shares_space_with'],
  ])('with %j are rejected when they are added or changed', async (fields, paths) => {
    const venueId = await venueNamed('Arena');
    expect(verdict(await addTo(venueId, fields))).toBe(`400 VALIDATION_ERROR ${paths}`);
    const before = expectStatus(await addTo(venueId), 201);
    const path = `${RESOURCES}/${String(before['resource_id'])}`;
    expect(verdict(await operator.patch(path, { ...fields, sport_category: 'tennis' }))).toBe(
      `400 VALIDATION_ERROR ${paths}`,
    );
    expect(await read(path)).toEqual(before);
  });
});

describe('resource_id', () => {
  test('is a slug of venue and resource, with a number if it is taken', async () => {
    const [one, two] = [await venueNamed('Same Name'), await venueNamed('Same  name!')];
    expect([await slug(one), await slug(one), await slug(two)]).toEqual([
      'same-name-turf-a',
      'same-name-turf-a-2',
      'same-name-turf-a-3',
    ]);
  });

  test.each([
    ['कोर्ट', '🏸🏸'],
    ['***', '&'.repeat(80)],
    ['n'.repeat(120), '__proto__'],
  ])('is usable by partners, also if the venue and the resource have unusual names: %s', async (venueName, name) => {
    const venueId = await venueNamed(venueName);
    const id = await slug(venueId, { name });
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    const seller = await anyPartner(service, [venueId]);
    const [slotId = ''] = await freeSlotIds(seller, venueId);
    expect(slotId.startsWith(`${id}_`)).toBe(true);
    expect(verdict(await seller.api.post('/api/v1/partner/holds', { slot_id: slotId }))).toBe('201');
  });
});
