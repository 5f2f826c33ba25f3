import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyVenue, expectStatus, operatorOf } from '../support/factories.ts';
import type { SharedService } from '../support/shared-service.ts';
import { sharedService } from '../support/shared-service.ts';
import { verdict } from '../support/verdict.ts';

let service: SharedService;
let granted: Venue;
let foreign: Venue;
let partner: Partner;

beforeAll(async () => {
  service = sharedService();
  granted = await anyVenue(
    service,
    [
      { name: 'B Court', sport_category: 'tennis', price_rupees: 499.5, duration_minutes: 45 },
      { name: 'A Turf', operating_hours_start: '18:00', operating_hours_end: '02:00' },
    ],
    { name: 'Koramangala Arena', address: '80 Feet Road', city: 'Bengaluru', time_zone: 'Asia/Kolkata' },
  );
  foreign = await anyVenue(service);
  partner = await anyPartner(service, [granted.id]);
});
afterAll(() => service.stop());

const koramangala = () => ({
  venue_id: granted.id,
  name: 'Koramangala Arena',
  address: '80 Feet Road',
  city: 'Bengaluru',
  status: 'active',
  time_zone: 'Asia/Kolkata',
});

describe('GET /api/v1/partner/venues', () => {
  test('lists exactly the venues granted to the partner', async () => {
    const reply = await partner.api.get('/api/v1/partner/venues');
    expect(expectStatus(reply, 200)).toEqual({ success: true, count: 1, data: [koramangala()] });
  });

  test('is an empty list for a partner that waits for its first grant', async () => {
    const newcomer = await anyPartner(service);
    const reply = await newcomer.api.get('/api/v1/partner/venues');
    expect(expectStatus(reply, 200)).toEqual({ success: true, count: 0, data: [] });
  });

  test('shows inactive venues too, and says so', async () => {
    const closed = await anyVenue(service, [], { status: 'inactive' });
    const seller = await anyPartner(service, [closed.id]);
    const reply = await seller.api.get('/api/v1/partner/venues');
    expect(expectStatus(reply, 200)).toMatchObject({ data: [{ venue_id: closed.id, status: 'inactive' }] });
  });

  test('follows a grant and its end at once', async () => {
    const newcomer = await anyPartner(service);
    const ids = async () => {
      const { data } = expectStatus(await newcomer.api.get('/api/v1/partner/venues'), 200);
      return (data as { venue_id: string }[]).map((venue) => venue.venue_id);
    };
    const grant = `/api/v1/operator/partners/${newcomer.id}/venues/${granted.id}`;
    await operatorOf(service).put(grant);
    expect(await ids()).toEqual([granted.id]);
    await operatorOf(service).delete(grant);
    expect(await ids()).toEqual([]);
  });
});

describe('GET /api/v1/partner/venues/{venueId}', () => {
  test('is the venue itself', async () => {
    const reply = await partner.api.get(`/api/v1/partner/venues/${granted.id}`);
    expect(expectStatus(reply, 200)).toEqual(koramangala());
  });
});

describe('a venue that is missing and one that is not granted cannot be told apart', () => {
  const missing = '00000000-0000-7000-8000-00000000dead';

  test.each(['', '/resources'])('GET /api/v1/partner/venues/{venueId}%s', async (part) => {
    const requestId = { 'x-request-id': 'same' };
    const replies = await Promise.all(
      [missing, foreign.id, 'no-uuid'].map((id) =>
        partner.api.get(`/api/v1/partner/venues/${id}${part}`, requestId),
      ),
    );
    expect(replies.map(verdict)).toEqual(Array(3).fill('404 VENUE_NOT_FOUND'));
    expect(new Set(replies.map((reply) => reply.text)).size).toBe(1);
  });
});

describe('GET /api/v1/partner/venues/{venueId}/resources', () => {
  test('lists the resources of the venue by resource_id, with their base configuration', async () => {
    const reply = await partner.api.get(`/api/v1/partner/venues/${granted.id}/resources`);
    const turf = {
      resource_id: 'koramangala-arena-a-turf',
      venue_id: granted.id,
      name: 'A Turf',
      resource_type: 'turf',
      sport_category: 'football',
      duration_minutes: 60,
      price_rupees: 1200,
      operating_hours_start: '18:00',
      operating_hours_end: '02:00',
    };
    const court = {
      ...turf,
      resource_id: 'koramangala-arena-b-court',
      name: 'B Court',
      sport_category: 'tennis',
      duration_minutes: 45,
      price_rupees: 499.5,
      operating_hours_start: '06:00',
      operating_hours_end: '23:00',
    };
    expect(expectStatus(reply, 200)).toEqual({ success: true, count: 2, data: [turf, court] });
  });
});

test("a partner_id in the query does not show another partner's venues", async () => {
  const other = await anyPartner(service, [foreign.id]);
  const reply = await partner.api.get(`/api/v1/partner/venues?partner_id=${other.id}`);
  expect(expectStatus(reply, 200)).toMatchObject({ data: [{ venue_id: granted.id }] });
});
