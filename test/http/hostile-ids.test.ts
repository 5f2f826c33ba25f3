import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Partner } from '../support/factories.ts';
import {
  anyPartner,
  anyResourceBody,
  anyVenue,
  confirmBody,
  dateIn,
  expectStatus,
  freeSlotIds,
  operatorOf,
  placeHold,
} from '../support/factories.ts';
import { sampled } from '../support/scale.ts';
import { sharedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';
import { pathWith } from './described-routes.ts';

const service = sharedService();
let partner: Partner;

beforeAll(async () => {
  partner = await anyPartner(service);
});
afterAll(() => service.stop());

describe('an id that names nothing is 404, whatever its form', () => {
  const garbage = [
    '00000000-0000-7000-8000-00000000dead',
    'abc',
    '-1',
    '0',
    'null',
    '__proto__',
    'constructor',
    '$ne',
    encodeURIComponent('{"$gt":""}'),
    '%00',
    'a%00b',
    '%F0%9F%92%A9',
    '..%2F..%2Fetc%2Fpasswd',
    '%5C..%5C',
    'x'.repeat(4000),
  ];
  const valid = { reason: 'rain', idempotency_key: 'key' };
  const bodies: Record<string, Record<string, unknown>> = {
    resources: anyResourceBody({}),
    schedule: { weekly: {} },
    'price-rules': { name: 'Peak', multiplier: 2 },
    blackouts: { starts_at: '2026-11-21T04:30:00Z', ends_at: '2026-11-21T05:30:00Z', reason: 'rain' },
  };
  test.each([
    ['GET', '/api/v1/partner/venues/:id', 'VENUE_NOT_FOUND'],
    ['GET', '/api/v1/partner/venues/:id/resources', 'VENUE_NOT_FOUND'],
    ['GET', '/api/v1/partner/holds/:id', 'HOLD_NOT_FOUND'],
    ['POST', '/api/v1/partner/holds/:id/cancel', 'HOLD_NOT_FOUND'],
    ['GET', '/api/v1/bookings/:id', 'BOOKING_NOT_FOUND'],
    ['POST', '/api/v1/bookings/:id/cancel', 'BOOKING_NOT_FOUND'],
    ['POST', '/api/v1/bookings/:id/refund', 'BOOKING_NOT_FOUND'],
    ['POST', '/api/v1/partner/webhooks/:id/rotate-secret', 'WEBHOOK_NOT_FOUND'],
    ['GET', '/api/v1/partner/observability/deliveries/:id', 'DELIVERY_NOT_FOUND'],
    ['POST', '/api/v1/sandbox/holds/:id/expire', 'HOLD_NOT_FOUND'],
    ['POST', '/api/v1/sandbox/deliveries/:id/advance', 'DELIVERY_NOT_FOUND'],
    ['GET', '/api/v1/operator/partners/:id', 'PARTNER_NOT_FOUND'],
    ['PATCH', '/api/v1/operator/partners/:id', 'PARTNER_NOT_FOUND'],
    ['POST', '/api/v1/operator/partners/:id/certify', 'PARTNER_NOT_FOUND'],
    ['POST', '/api/v1/operator/partners/:id/keys', 'PARTNER_NOT_FOUND'],
    ['GET', '/api/v1/operator/partners/:id/keys', 'PARTNER_NOT_FOUND'],
    ['DELETE', '/api/v1/operator/partners/:id/keys/:id', 'KEY_NOT_FOUND'],
    ['PUT', '/api/v1/operator/partners/:id/venues/:id', 'VENUE_NOT_FOUND'],
    ['DELETE', '/api/v1/operator/partners/:id/venues/:id', 'PARTNER_NOT_FOUND'],
    ['POST', '/api/v1/operator/partners/:id/keys/:id/rotate', 'PARTNER_NOT_FOUND'],
    ['GET', '/api/v1/operator/bookings/:id', 'BOOKING_NOT_FOUND'],
    ['GET', '/api/v1/operator/bookings/:id/timeline', 'BOOKING_NOT_FOUND'],
    ['POST', '/api/v1/operator/bookings/:id/cancel', 'BOOKING_NOT_FOUND'],
    ['POST', '/api/v1/operator/bookings/:id/refund', 'BOOKING_NOT_FOUND'],
    ['POST', '/api/v1/operator/holds/:id/release', 'HOLD_NOT_FOUND'],
    ['POST', '/api/v1/operator/webhooks/:id/activate', 'WEBHOOK_NOT_FOUND'],
    ['POST', '/api/v1/operator/webhooks/:id/deactivate', 'WEBHOOK_NOT_FOUND'],
    ['POST', '/api/v1/operator/dead-letters/:id/redrive', 'DELIVERY_NOT_FOUND'],
    ['GET', '/api/v1/operator/deliveries/:id', 'DELIVERY_NOT_FOUND'],
    ['GET', '/api/v1/operator/venues/:id', 'VENUE_NOT_FOUND'],
    ['PATCH', '/api/v1/operator/venues/:id', 'VENUE_NOT_FOUND'],
    ['GET', '/api/v1/operator/venues/:id/resources', 'VENUE_NOT_FOUND'],
    ['POST', '/api/v1/operator/venues/:id/resources', 'VENUE_NOT_FOUND'],
    ['GET', '/api/v1/operator/resources/:id', 'RESOURCE_NOT_FOUND'],
    ['PATCH', '/api/v1/operator/resources/:id', 'RESOURCE_NOT_FOUND'],
    ['GET', '/api/v1/operator/resources/:id/schedule', 'RESOURCE_NOT_FOUND'],
    ['PUT', '/api/v1/operator/resources/:id/schedule', 'RESOURCE_NOT_FOUND'],
    ['GET', '/api/v1/operator/resources/:id/price-rules', 'RESOURCE_NOT_FOUND'],
    ['POST', '/api/v1/operator/resources/:id/price-rules', 'RESOURCE_NOT_FOUND'],
    ['DELETE', '/api/v1/operator/resources/:id/schedule', 'RESOURCE_NOT_FOUND'],
    ['GET', '/api/v1/operator/price-rules/:id', 'PRICE_RULE_NOT_FOUND'],
    ['DELETE', '/api/v1/operator/price-rules/:id', 'PRICE_RULE_NOT_FOUND'],
    ['GET', '/api/v1/operator/venues/:id/blackouts', 'VENUE_NOT_FOUND'],
    ['POST', '/api/v1/operator/venues/:id/blackouts', 'VENUE_NOT_FOUND'],
    ['GET', '/api/v1/operator/blackouts/:id', 'BLACKOUT_NOT_FOUND'],
    ['DELETE', '/api/v1/operator/blackouts/:id', 'BLACKOUT_NOT_FOUND'],
  ])('%s %s', async (method, path, code) => {
    const api = path.startsWith('/api/v1/operator/') ? operatorOf(service) : partner.api;
    const body = bodies[path.slice(path.lastIndexOf('/') + 1)] ?? valid;
    const withBody = {
      headers: { 'content-type': 'application/json' },
      ...(method === 'GET' || method === 'DELETE' ? {} : { body: JSON.stringify(body) }),
    };
    const send = async (id: string) => verdict(await api.send(method, pathWith(path, id), withBody));
    const answers = await Promise.all(sampled(garbage, path.length).map(send));
    expect([...new Set(answers)]).toEqual([`404 ${code}`]);
  });
});

describe('malformed percent-encoding', () => {
  test.each(['%', '%2', '%ZZ', '%ff', '%E0%A4%A', '%C0%AF', '%ED%A0%80'])(
    '%s in a path is 400, naming the path',
    async (id) => {
      expect(verdict(await partner.api.get(`/api/v1/bookings/${id}`))).toBe('400 VALIDATION_ERROR path');
      expect(verdict(await partner.api.post(`/api/v1/partner/holds/${id}/cancel`))).toBe(
        '400 VALIDATION_ERROR path',
      );
    },
  );

  test.each(['%', '%ZZ', '%E0%A4%A', '%ED%A0%80'])(
    '%s in a query is the fault of its field',
    async (value) => {
      const query = `venue_id=${value}&date=2026-11-21`;
      expect(verdict(await partner.api.get(`/api/v1/slots/availability?${query}`))).toBe(
        '400 VALIDATION_ERROR venue_id',
      );
      // The first two are those characters themselves, the others bytes that are not UTF-8.
      expect(verdict(await partner.api.get(`/api/v1/bookings?customer_name=${value}`))).toBe(
        value.length < 4 ? '200' : '400 VALIDATION_ERROR customer_name',
      );
    },
  );
});

test('a UUID in capitals names what it names in lower case: in a path, a query and a body', async () => {
  const venue = await anyVenue(service);
  const seller = await anyPartner(service, [venue.id]);
  const [slotId = ''] = await freeSlotIds(seller, venue.id);
  const hold = await placeHold(seller, slotId);
  const [venueId, holdId] = [venue.id.toUpperCase(), String(hold['hold_id']).toUpperCase()];
  const operator = operatorOf(service);
  for (const reply of [
    await seller.api.get(`/api/v1/partner/venues/${venueId}`),
    await seller.api.get(`/api/v1/slots/availability?venue_id=${venueId}&date=${dateIn(3)}`),
    await seller.api.get(`/api/v1/partner/holds/${holdId}`),
    await operator.get(`/api/v1/operator/partners/${seller.id.toUpperCase()}`),
    await operator.get(`/partners/${seller.id.toUpperCase()}`),
  ])
    expect(reply.status).toBe(200);
  const confirmed = await seller.api.post('/api/v1/bookings/confirm', confirmBody(holdId));
  expect(expectStatus(confirmed, 201)['slot_id']).toBe(slotId);
});
