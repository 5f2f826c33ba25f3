import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Json, Partner, Venue } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  bookSlot,
  dateIn,
  expectStatus,
  operatorOf,
  placeHold,
  slotsOf,
} from '../support/factories.ts';
import type { SharedService } from '../support/shared-service.ts';
import { sharedService } from '../support/shared-service.ts';
import { errorOf, verdict } from '../support/verdict.ts';

let service: SharedService;
let venue: Venue;
let partner: Partner;
let other: Partner;

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
  other = await anyPartner(service, [venue.id]);
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
  test('lists every slot of the date, by resource and start, in the documented form', async () => {
    const date = dateIn(5);
    const body = expectStatus(await partner.api.get(path(venue.id, date)), 200);
    const [second = '', first = ''] = venue.resourceIds;
    const slot = (resourceId: string, hour: number) => ({
      slot_id: `${resourceId}_${date.replaceAll('-', '')}T0${hour}00Z`,
      resource_id: resourceId,
      slot_start: `${date}T0${hour}:00:00.000Z`,
      slot_end: `${date}T0${hour + 1}:00:00.000Z`,
      price_rupees: 1200,
      is_available: true,
    });
    const slots = [first, second].flatMap((id) => [6, 7, 8].map((hour) => slot(id, hour)));
    expect(body).toEqual({ venue_id: venue.id, date, slots });
  });

  test('with resource_id, lists the slots of that resource alone', async () => {
    const [wanted = ''] = venue.resourceIds;
    const reply = await partner.api.get(path(venue.id, dateIn(5), `&resource_id=${wanted}`));
    const slots = expectStatus(reply, 200)['slots'] as Json[];
    expect(slots.map((slot) => slot['resource_id'])).toEqual([wanted, wanted, wanted]);
  });

  test('a resource that the venue does not have is 404 RESOURCE_NOT_FOUND', async () => {
    const elsewhere = await anyVenue(service);
    for (const id of ['nothing', elsewhere.resourceIds[0]]) {
      expect(verdict(await partner.api.get(path(venue.id, dateIn(5), `&resource_id=${id}`)))).toBe(
        '404 RESOURCE_NOT_FOUND',
      );
    }
  });

  test('a venue that is not granted and one that does not exist are 403, in the same bytes', async () => {
    const foreign = await anyVenue(service);
    const requestId = { 'x-request-id': 'same' };
    const replies = await Promise.all(
      [foreign.id, '00000000-0000-7000-8000-00000000dead'].flatMap((id) => [
        partner.api.get(path(id, dateIn(5)), requestId),
        partner.api.get(path(id, dateIn(5), `&resource_id=${foreign.resourceIds[0]}`), requestId),
      ]),
    );
    expect(replies.map(verdict)).toEqual(Array(4).fill('403 VENUE_NOT_AUTHORIZED'));
    expect(new Set(replies.map((reply) => reply.text)).size).toBe(1);
  });

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
  test('held, booked and available slots stand side by side, for every partner alike', async () => {
    const { id, seller } = await ownVenue();
    const [first, second] = await slotsOf(seller, id);
    await placeHold(seller, String(first?.['slot_id']));
    await bookSlot(seller, String(second?.['slot_id']));
    await operatorOf(service).put(`/api/v1/operator/partners/${other.id}/venues/${id}`);
    const seen = await slotsOf(other, id);
    expect(reasons(seen)).toEqual(['held', 'booked', 'available']);
    expect(seen).toEqual(await slotsOf(seller, id));
    expect(seen[0]).toEqual({ ...first, is_available: false, unavailable_reason: 'held' });
    expect(seen[2]).not.toHaveProperty('unavailable_reason');
  });

  test('a slot that has started is past', async () => {
    expect(reasons(await slotsOf(partner, venue.id, dateIn(-1)))).toEqual(Array(6).fill('past'));
    const { id, seller } = await ownVenue([
      { operating_hours_start: '00:00', operating_hours_end: '00:00', duration_minutes: 5 },
    ]);
    const now = new Date().toISOString();
    const today = await slotsOf(seller, id, now.slice(0, 10));
    const running = today.findLast((slot) => String(slot['slot_start']) <= now);
    expect(running).toMatchObject({ is_available: false, unavailable_reason: 'past' });
    const tomorrow = await slotsOf(seller, id, dateIn(1));
    expect(tomorrow[0]).toMatchObject({ is_available: true });
  });

  test('slots are sold until the end of the 90th day from today, and those after it are beyond_horizon', async () => {
    expect(reasons(await slotsOf(partner, venue.id, dateIn(90)))).toEqual(Array(6).fill('available'));
    expect(reasons(await slotsOf(partner, venue.id, dateIn(91)))).toEqual(Array(6).fill('beyond_horizon'));
  });

  test('an inactive venue sells nothing', async () => {
    const { id, seller } = await ownVenue([MORNING], { status: 'inactive' });
    expect(reasons(await slotsOf(seller, id))).toEqual(Array(3).fill('inactive'));
    await operatorOf(service).patch(`/api/v1/operator/venues/${id}`, { status: 'active' });
    expect(reasons(await slotsOf(seller, id))).toEqual(Array(3).fill('available'));
  });

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

  test('a slot that overlaps a claim made under an earlier slot length is taken', async () => {
    const { id, resourceIds, seller } = await ownVenue();
    const [first] = await slotsOf(seller, id);
    await placeHold(seller, String(first?.['slot_id']));
    const change = { duration_minutes: 40, price_rupees: 900 };
    await operatorOf(service).patch(`/api/v1/operator/resources/${resourceIds[0]}`, change);
    const slots = await slotsOf(seller, id);
    expect(reasons(slots)).toEqual(['held', 'held', 'available', 'available']);
    expect(slots[3]).toMatchObject({ price_rupees: 900 });
  });
});

describe('a conditional read', () => {
  test('returns 304 with no body until something changes, then 200 with another ETag', async () => {
    const { id, seller } = await ownVenue();
    const url = path(id, dateIn(3));
    const first = await seller.api.get(url);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^(W\/)?".+"$/);
    const again = await seller.api.get(url, { 'if-none-match': etag });
    expect(again).toMatchObject({ status: 304, text: '' });
    expect(again.headers.get('etag')).toBe(etag);

    const [slot] = await slotsOf(seller, id);
    await placeHold(seller, String(slot?.['slot_id']));
    const changed = await seller.api.get(url, { 'if-none-match': etag });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });

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
