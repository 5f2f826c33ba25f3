import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Json, Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn, expectStatus, slotsOf } from '../support/factories.ts';
import type { SharedService } from '../support/service-host.ts';
import { sharedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

let service: SharedService;
let venue: Venue;
let partner: Partner;

/** Three slots a day: 06:00, 07:00 and 08:00 UTC. */
const MORNING = { operating_hours_start: '06:00', operating_hours_end: '09:00' };
const UTC = { time_zone: 'UTC' };

beforeAll(async () => {
  service = sharedService();
  venue = await anyVenue(
    service,
    [
      { ...MORNING, name: 'B' },
      { ...MORNING, name: 'A' },
    ],
    UTC,
  );
  partner = await anyPartner(service, [venue.id]);
});
afterAll(() => service.stop());

const path = (venueId: string, date: string, rest = '') =>
  `/api/v1/slots/availability?venue_id=${venueId}&date=${date}${rest}`;

const reasons = (slots: Json[]) => slots.map((slot) => slot['unavailable_reason'] ?? 'available');

async function ownVenue(resources: Json[] = [MORNING], fields: Json = {}) {
  const own = await anyVenue(service, resources, { ...UTC, ...fields });
  return { id: own.id, resourceIds: own.resourceIds, seller: await anyPartner(service, [own.id]) };
}

describe('GET /api/v1/slots/availability', () => {
  test('a venue_id in capital letters is the same venue', async () => {
    const body = expectStatus(await partner.api.get(path(venue.id.toUpperCase(), dateIn(5))), 200);
    expect(body).toMatchObject({ venue_id: venue.id });
  });

  test('a venue without resources has no slots', async () => {
    const { id, seller } = await ownVenue([]);
    expect(await slotsOf(seller, id)).toEqual([]);
  });
});

describe('a slot that cannot be held says why, and never who', () => {
  test('an inactive resource sells nothing, and the others go on', async () => {
    const { id, seller } = await ownVenue([
      { ...MORNING, name: 'A', status: 'inactive' },
      { ...MORNING, name: 'B' },
    ]);
    expect(reasons(await slotsOf(seller, id))).toEqual([
      ...Array(3).fill('inactive'),
      ...Array(3).fill('available'),
    ]);
  });
});

describe('a conditional read', () => {
  test.each([
    ['one of several ETags', (etag: string) => `"other", ${etag}`, 304],
    ['a strong form of it', (etag: string) => etag.replace('W/', ''), 304],
    ['any', () => '*', 304],
    ['another', () => '"other"', 200],
    ['nonsense', () => 'nonsense', 200],
  ])('with %s', async (_what, valueOf, status) => {
    const url = path(venue.id, dateIn(6));
    const etag = (await partner.api.get(url)).headers.get('etag') ?? '';
    expect((await partner.api.get(url, { 'if-none-match': valueOf(etag) })).status).toBe(status);
  });

  test('is not shared by caches, and each partner is asked for its key and grant first', async () => {
    const url = path(venue.id, dateIn(6));
    const reply = await partner.api.get(url);
    expect(reply.headers.get('cache-control')).toContain('private');
    const condition = { 'if-none-match': reply.headers.get('etag') ?? '' };
    const stranger = await anyPartner(service);
    expect(verdict(await stranger.api.get(url, condition))).toBe('403 VENUE_NOT_AUTHORIZED');
    expect((await fetch(service.url + url, { headers: condition })).status).toBe(401);
  });
});

test('the reading partner is told what to do about a venue that it may not read', async () => {
  const reply = await partner.api.get(path('00000000-0000-7000-8000-00000000dead', dateIn(1)));
  expect(errorOf(reply).message).toMatch(/granted/);
});
