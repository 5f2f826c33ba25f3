import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { anyDelivery } from '../support/deliveries.ts';
import { startDeliveryScene } from '../support/delivery-scene.ts';
import { anyPartner, expectStatus, type Partner, subscribe } from '../support/factories.ts';
import { changeRow } from '../support/rows.ts';
import { hostedService } from '../support/service-host.ts';

const OBSERVABILITY = '/api/v1/partner/observability';

const service = await hostedService();
const { receiver, venue, slots, end } = await startDeliveryScene(service);
let partner: Partner;
let subscriptionId: string;
afterAll(end);
beforeEach(async () => {
  receiver.respondWith(200);
  partner = await anyPartner(service, [venue.id]);
  subscriptionId = (await subscribe(partner, receiver.url, ['hold_created', 'hold_cancelled'])).id;
});

/** Holds a slot; returns the id of the event's delivery, before any attempt. */
const anyWaitingDelivery = () => anyDelivery(service, partner, partner, slots.shift() ?? '');
/** Changes the subscription's URL and makes an attempt. */
async function attemptAt(deliveryId: string, url: string): Promise<void> {
  const body = { endpoint_url: url };
  expectStatus(await partner.api.patch(`/api/v1/partner/webhooks/${subscriptionId}`, body), 200);
  await service.attempt(deliveryId);
}

const detail = async (id: string) => expectStatus(await partner.api.get(`${OBSERVABILITY}/deliveries/${id}`), 200);

test('GET /api/v1/partner/observability summarizes the last 24 hours, and lists dead letters of any age', async () => {
  receiver.respondWith(500);
  const old = await anyWaitingDelivery();
  await service.attempt(old, 5);
  const createdAt = new Date(Date.now() - 25 * 3_600_000);
  await changeRow(service, 'deliveries', old, { $set: { createdAt } });
  await anyWaitingDelivery();
  const body = expectStatus(await partner.api.get(OBSERVABILITY), 200);
  expect(body['summary']).toMatchObject({ events: 1, attempts: 0, deliveries: { pending: 1, dead_letter: 0 } });
  expect(body['data']).toMatchObject([{ id: old }]);
  expect(body['subscriptions']).toMatchObject([{ dead_letter: 1 }]);
});

describe('GET /api/v1/partner/observability/deliveries/{id}', () => {
  test('has the detail of a failure, and of a redirect only the origin of its target', async () => {
    const id = await anyWaitingDelivery();
    await attemptAt(id, receiver.url.replace('http:', 'https:'));
    receiver.respondWith((_attempt, response) =>
      response.writeHead(301, { location: 'https://elsewhere.example/hooks?token=1' }).end(),
    );
    await attemptAt(id, receiver.url);
    expect((await detail(id))['attempts']).toMatchObject([
      { error: 'tls_error', error_detail: 'not_tls', redirect_to: null },
      { error: 'redirect', error_detail: null, redirect_to: 'https://elsewhere.example' },
    ]);
  });

  test('shows each attempt with its URL and series', async () => {
    receiver.respondWith(500);
    const id = await anyWaitingDelivery();
    const [before, now] = [`${receiver.url}/before`, `${receiver.url}/now`];
    await attemptAt(id, before);
    await attemptAt(id, now);
    expectStatus(await partner.api.post(`${OBSERVABILITY}/deliveries/${id}/redeliver`), 202);
    await service.attempt(id);
    expect(await detail(id)).toMatchObject({
      endpoint_url: now,
      attempts: [
        { series: 1, attempt: 1, endpoint_url: before },
        { series: 1, attempt: 2, endpoint_url: now },
        { series: 2, attempt: 1, endpoint_url: now },
      ],
    });
  });

  test('shows the attempts of an older release', async () => {
    const id = await anyWaitingDelivery();
    await service.attempt(id);
    const absent = ['errorDetail', 'redirectTo', 'endpointUrl', 'series'].map((name) => `attempts.${name}`);
    await changeRow(service, 'deliveries', id, [{ $unset: absent }]);
    const unknown = { series: null, endpoint_url: null, error_detail: null, redirect_to: null };
    expect((await detail(id))['attempts']).toMatchObject([unknown]);
  });
});
