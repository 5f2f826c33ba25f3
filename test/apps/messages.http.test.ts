import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client } from '../support/client.ts';
import { createClient } from '../support/client.ts';
import { anyDelivery } from '../support/deliveries.ts';
import type { Json } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  expectStatus,
  freeSlotIds,
  operatorOf,
  subscribe,
} from '../support/factories.ts';
import { startReceiver } from '../support/receiver.ts';
import type { HostedService } from '../support/service-host.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const MISSING = '00000000-0000-7000-8000-00000000dead';
/** What is said to partners: that they own things, paths of their interface, and whom to ask. */
const FOR_PARTNERS =
  /\byou have no\b|\byour?\b.*\b(partner|subscriptions)\b|\/api\/v1\/(partner|bookings|packages)|platform operator/i;

let service: HostedService;
let operator: Client;
beforeAll(async () => {
  service = await hostedService();
  operator = operatorOf(service);
});
afterAll(() => service.stop());

const messageOf = (body: unknown) => String(((body as Json)['error'] as Json)['message']);

const END = { reason: 'Rain', idempotency_key: 'k' };
test.each<[string, string, Json | null]>([
  ['GET', `bookings/${MISSING}`, null],
  ['GET', `bookings/${MISSING}/timeline`, null],
  ['POST', `bookings/${MISSING}/cancel`, END],
  ['POST', `bookings/${MISSING}/refund`, END],
  ['POST', `holds/${MISSING}/release`, { reason: 'Rain' }],
  ['GET', `packages/${MISSING}`, null],
  ['PATCH', `packages/${MISSING}`, {}],
  ['POST', `webhooks/${MISSING}/activate`, null],
  ['POST', `webhooks/${MISSING}/deactivate`, null],
  ['POST', `dead-letters/${MISSING}/redrive`, null],
  ['POST', `dead-letters/${MISSING}/discard`, { reason: 'Rain' }],
  ['GET', `deliveries/${MISSING}`, null],
  ['POST', 'dead-letters/redrive', { subscription_id: MISSING }],
])('%s %s of what is missing is answered in words for an operator', async (method, path, body) => {
  const reply = await operator.send(method, `/api/v1/operator/${path}`, {
    headers: { 'content-type': 'application/json' },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
  expect(reply.status).toBe(404);
  expect(messageOf(reply.body)).not.toMatch(FOR_PARTNERS);
});

test('a deactivated subscription is for the operator to activate, and the partner is told whom to ask', async () => {
  const venueId = (await anyVenue(service)).id;
  const partner = await anyPartner(service, [venueId]);
  const receiver = await startReceiver();
  try {
    const { id } = await subscribe(partner, receiver.url, ['hold_created']);
    receiver.respondWith(500);
    const [slot = ''] = await freeSlotIds(partner, venueId);
    const dead = await anyDelivery(service, partner, partner, slot);
    await service.attempt(dead, 5);
    expectStatus(await operator.post(`/api/v1/operator/webhooks/${id}/deactivate`), 200);
    const replies = [
      await operator.post(`/api/v1/operator/dead-letters/${dead}/redrive`),
      await operator.post('/api/v1/operator/dead-letters/redrive', { subscription_id: id }),
    ];
    for (const reply of replies) {
      expect(verdict(reply)).toBe('409 WEBHOOK_INACTIVE');
      expect(messageOf(reply.body)).not.toMatch(FOR_PARTNERS);
      expect(messageOf(reply.body)).toMatch(/activate/i);
    }
    const own = await partner.api.post(`/api/v1/partner/webhooks/${id}/test`);
    expect(messageOf(own.body)).toMatch(/Ask the platform operator to activate it/);
  } finally {
    await receiver.close();
  }
});

test('partners are answered in words for partners: the check can fail', async () => {
  const { apiKey } = await anyPartner(service);
  const api = createClient(service.url, apiKey);
  for (const path of [`bookings/${MISSING}`, `partner/observability/deliveries/${MISSING}`]) {
    expect(messageOf((await api.get(`/api/v1/${path}`)).body)).toMatch(FOR_PARTNERS);
  }
});
