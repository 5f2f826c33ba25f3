import { afterAll, expect, test } from '@jest/globals';
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

test("venues are added active and in the service's zone by default", async () => {
  const venue = expectStatus(await operator.post(VENUES, ARENA), 201);
  const venueId = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  expect(venue).toEqual({ venue_id: venueId, ...ARENA, status: 'active', time_zone: 'Europe/London' });
  expect(await read(`${VENUES}/${String(venue['venue_id'])}`)).toEqual(venue);
  const stated = { ...ARENA, status: 'inactive' };
  const inLowerCase = { ...stated, time_zone: 'australia/lord_howe' };
  const spelled = { ...stated, time_zone: 'Australia/Lord_Howe' };
  expect(expectStatus(await operator.post(VENUES, inLowerCase), 201)).toMatchObject(spelled);
});

test('resources are added to a venue, and read and listed as added', async () => {
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

const KINDS = {
  venue: {
    add: (fields: Json = {}) => operator.post(VENUES, { ...ARENA, ...fields }),
    pathOf: ({ venue_id: id }: Json) => `${VENUES}/${String(id)}`,
  },
  resource: {
    add: async (fields: Json = {}) => addTo(await venueNamed('Arena'), fields),
    pathOf: ({ resource_id: id }: Json) => `${RESOURCES}/${String(id)}`,
  },
};

test.each<[keyof typeof KINDS, Json]>([
  ['venue', { name: '$name', address: 'Elsewhere', city: 'Pune', time_zone: 'Asia/Kolkata' }],
  ['venue', {}],
  [
    'resource',
    { name: '$name', resource_type: 'court', sport_category: 'tennis', duration_minutes: 5, price_rupees: 0 },
  ],
  ['resource', { duration_minutes: 1440, price_rupees: 10_000_000, operating_hours_start: '18:00' }],
])('a PATCH of a %s with %j changes only the given fields, and never the ids', async (kind, change) => {
  const { add, pathOf } = KINDS[kind];
  const before = expectStatus(await add(), 201);
  const path = pathOf(before);
  const reply = await operator.patch(path, { ...change, resource_id: 'other', venue_id: 'other' });
  expect(expectStatus(reply, 200)).toEqual({ ...before, ...change, ...NO_CONFLICTS });
  expect(await read(path)).toEqual({ ...before, ...change });
});

test.each<[keyof typeof KINDS, Json, string]>([
  ['venue', { time_zone: 'SystemV/PST8', status: 'closed', name: '' }, 'name, status, time_zone'],
  ['venue', { address: null, city: 7 }, 'address, city'],
  ['resource', { duration_minutes: 7, operating_hours_start: '06:01' }, 'duration_minutes, operating_hours_start'],
  ['resource', { duration_minutes: 1445, price_rupees: 9.999 }, 'duration_minutes, price_rupees'],
  ['resource', { status: 'closed', operating_hours_end: '24:05' }, 'operating_hours_end, status'],
  ['resource', { shares_space_with: ['nothing'] }, 'shares_space_with'],
])('a %s with %j is rejected when it is added or changed, and the change as a whole', async (kind, fields, paths) => {
  const { add, pathOf } = KINDS[kind];
  expect(verdict(await add(fields))).toBe(`400 VALIDATION_ERROR ${paths}`);
  const before = expectStatus(await add(), 201);
  const reply = await operator.patch(pathOf(before), { name: 'Other', ...fields });
  expect(verdict(reply)).toBe(`400 VALIDATION_ERROR ${paths}`);
  expect(await read(pathOf(before))).toEqual(before);
});

test.each([
  ['कोर्ट', '🏸🏸'],
  ['***', '&'.repeat(80)],
  ['n'.repeat(120), '__proto__'],
])(
  'a resource_id is usable by partners, also if the venue and the resource have unusual names: %s',
  async (venueName, name) => {
    const venueId = await venueNamed(venueName);
    const id = String(expectStatus(await addTo(venueId, { name }), 201)['resource_id']);
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    const seller = await anyPartner(service, [venueId]);
    const [slotId = ''] = await freeSlotIds(seller, venueId);
    expect(slotId.startsWith(`${id}_`)).toBe(true);
    expect(verdict(await seller.api.post('/api/v1/partner/holds', { slot_id: slotId }))).toBe('201');
  },
);
