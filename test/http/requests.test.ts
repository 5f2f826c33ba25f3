import { afterAll, describe, expect, test } from '@jest/globals';
import { createClient } from '../support/client.ts';
import {
  anyPartner,
  anyVenue,
  confirmBody,
  dateIn,
  expectStatus,
  freeSlotIds,
  operatorOf,
  placeHold,
} from '../support/factories.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const service = await hostedService();
const stranger = createClient(service.url, undefined);
const operator = operatorOf(service);
afterAll(() => service.stop());
const partner = await anyPartner(service);

describe('malformed percent-encoding', () => {
  test.each(['%', '%2', '%ZZ', '%ff', '%E0%A4%A', '%C0%AF', '%ED%A0%80'])(
    '%s in a path is 400, naming the path',
    async (id) => {
      expect(verdict(await partner.api.get(`/api/v1/bookings/${id}`))).toBe('400 VALIDATION_ERROR path');
      expect(verdict(await partner.api.post(`/api/v1/partner/holds/${id}/cancel`))).toBe('400 VALIDATION_ERROR path');
    },
  );

  test.each(['%', '%ZZ', '%E0%A4%A', '%ED%A0%80'])('%s in a query is 400 only if it is not UTF-8', async (value) => {
    const query = `venue_id=${value}&date=2026-11-21`;
    expect(verdict(await partner.api.get(`/api/v1/slots/availability?${query}`))).toBe('400 VALIDATION_ERROR venue_id');
    // The first two are literal percent signs, the others are bytes that are not UTF-8.
    expect(verdict(await partner.api.get(`/api/v1/bookings?customer_name=${value}`))).toBe(
      value.length < 4 ? '200' : '400 VALIDATION_ERROR customer_name',
    );
  });
});

test('a UUID is case-insensitive in a path, a query and a body', async () => {
  const venue = await anyVenue(service);
  const seller = await anyPartner(service, [venue.id]);
  const [slotId = ''] = await freeSlotIds(seller, venue.id);
  const hold = await placeHold(seller, slotId);
  const [venueId, holdId] = [venue.id.toUpperCase(), String(hold['hold_id']).toUpperCase()];
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

describe('an API key', () => {
  const PARTNER_KEY = /is not a partner key: those begin with pk_sandbox_ or pk_live_\./;
  test.each<[what: string, headers: Record<string, string>, message: RegExp]>([
    ['sent as a bearer token', { authorization: `Bearer ${partner.apiKey}` }, /not from Authorization/],
    ['sent twice', { 'x-api-key': `${partner.apiKey}, ${partner.apiKey}` }, PARTNER_KEY],
    ["that is the operator's", { 'x-api-key': OPERATOR_KEY }, PARTNER_KEY],
  ])('%s is 401 INVALID_API_KEY, and the message says what to send', async (_what, headers, message) => {
    const reply = await stranger.get('/api/v1/partner/venues', headers);
    expect(verdict(reply)).toBe('401 INVALID_API_KEY');
    expect(errorOf(reply).message).toMatch(message);
  });

  test('is read from the header only, never from the query', async () => {
    const query = `x-api-key=${partner.apiKey}&api_key=${partner.apiKey}`;
    expect(verdict(await stranger.get(`/api/v1/partner/venues?${query}`))).toBe('401 INVALID_API_KEY');
  });
});
