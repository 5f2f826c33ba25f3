import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type * as Deactivation from '../../src/webhooks/deliveries/deactivate-subscription.service.ts';
import { startDeliveryScene } from '../support/delivery-scene.ts';
import { anyPartner, expectStatus, operatorOf, type Partner, subscribe } from '../support/factories.ts';
import { isGenuine, type Received, startReceiver, type WebhookReceiver } from '../support/receiver.ts';
import { changeRow, rowOf } from '../support/rows.ts';
import { hostedService } from '../support/service-host.ts';
import type * as InHost from './deliveries.in-host.ts';

const WEBHOOKS = '/api/v1/partner/webhooks';
const FIVE_MINUTES_MS = 300_000;
const LEASE_MS = 600;

const service = await hostedService({ overrides: { CACHE_LEASE_MS: String(LEASE_MS) } });
const { receiver, venue, attemptAround, end, read, waiting } = await startDeliveryScene(service);
const { deactivateSubscription } = service.inHost<typeof Deactivation>(
  'src/webhooks/deliveries/deactivate-subscription.service.ts',
);
const { seal } = service.inHost<typeof InHost>('test/deliveries/deliveries.in-host.ts');
let partner: Partner;
let subscription: { id: string; secretKey: string };
/** The secret that the receiver verifies with. */
let secretKey: string;
let newReceiver: WebhookReceiver | undefined;
afterAll(async () => {
  await newReceiver?.close();
  await end();
});
beforeEach(async () => {
  partner = await anyPartner(service, [venue.id]);
  subscription = await subscribe(partner, receiver.url, ['hold_created']);
  ({ secretKey } = subscription);
  receiver.respondWith(respondByContract);
});

const respondByContract = (attempt: Received, response: ServerResponse): void => {
  response.writeHead(isGenuine(attempt, secretKey) ? 200 : 401).end();
};

const health = async () =>
  (await rowOf(service, 'webhook_subscriptions', { _id: subscription.id })).consecutiveFailures;
const rotate = async (overlapSeconds = 0) => {
  const body = { overlap_seconds: overlapSeconds };
  const reply = await partner.api.post(`${WEBHOOKS}/${subscription.id}/rotate-secret`, body);
  secretKey = String(expectStatus(reply, 200)['secret_key']);
};
const moveTo = async (url: string) =>
  expectStatus(await partner.api.patch(`${WEBHOOKS}/${subscription.id}`, { endpoint_url: url }), 200);

const RETRY_NOW = { kind: 'later', inMs: 0 };

/** Makes an attempt. Once it has arrived, calls `happen`, and then responds with `status`. */
async function attemptWith(id: string, happen: () => Promise<unknown>, status: number) {
  receiver.respondWith((_attempt, response) => {
    void happen().then(() => response.writeHead(status).end());
  });
  return service.attempt(id);
}

describe('an attempt that fails while its subscription is changed is repeated immediately and does not count', () => {
  test.each([0, 600])('changed by a rotation with an overlap of %d s', async (overlapSeconds) => {
    const id = await waiting(partner);
    expect(await attemptWith(id, () => rotate(overlapSeconds), 401)).toEqual(RETRY_NOW);
    expect(await read(id)).toMatchObject({
      state: 'pending',
      attemptsMade: 0,
      leaseUntil: null,
      attempts: [{ attempt: 1, outcome: 'interrupted', error: 'subscription_changed', statusCode: 401 }],
    });
    receiver.respondWith(respondByContract);
    await service.attempt(id);
    const { state, attemptsMade, attempts } = await read(id);
    expect({ state, attemptsMade }).toEqual({ state: 'succeeded', attemptsMade: 1 });
    expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 1]);
    expect(await health()).toBe(0);
  });

  test('changed to another address, which the repeated attempt calls', async () => {
    const other = await startReceiver();
    newReceiver = other;
    const id = await waiting(partner);
    expect(await attemptWith(id, () => moveTo(other.url), 500)).toEqual(RETRY_NOW);
    expect(await health()).toBe(0);
    await service.attempt(id);
    expect(await read(id)).toMatchObject({ state: 'succeeded', attemptsMade: 1 });
    expect(other.received).toHaveLength(1);
  });

  test('deactivated: the delivery is cancelled, without a dead letter or alert', async () => {
    receiver.respondWith(500);
    const id = await waiting(partner);
    await service.attempt(id, 4);
    const last = await attemptWith(id, () => deactivateSubscription(subscription.id), 500);
    expect(last).toEqual(RETRY_NOW);
    await service.attempt(id);
    expect(await read(id)).toMatchObject({ state: 'cancelled', attemptsMade: 4 });
    expect(await read(id)).not.toHaveProperty('alertPending');
  });
});

test('a 2xx response is a success, even if the subscription was changed during the attempt', async () => {
  const id = await waiting(partner);
  const change = () => Promise.all([rotate(), moveTo('http://127.0.0.1:9/elsewhere')]);
  await attemptWith(id, change, 200);
  expect(await read(id)).toMatchObject({
    state: 'succeeded',
    attemptsMade: 1,
    attempts: [{ outcome: 'succeeded', error: null, errorDetail: null }],
  });
});

describe('a worker that was frozen before it sends does not send the old message after the response to', () => {
  const operator = () => operatorOf(service);
  const partnerPath = () => `/api/v1/operator/partners/${partner.id}`;
  test.each<[string, () => Promise<unknown>]>([
    ['a rotation', () => rotate()],
    ['a change of the address', () => moveTo('http://127.0.0.1:9/elsewhere')],
    ['a deactivation', () => deactivateSubscription(subscription.id)],
    ['a suspension', () => operator().patch(partnerPath(), { status: 'suspended' })],
    ['the end of the grant', () => operator().delete(`${partnerPath()}/venues/${venue.id}`)],
  ])('%s', async (_what, happen) => {
    const id = await waiting(partner);
    const before = receiver.received.length;

    expect(await attemptAround(id, happen)).toEqual(RETRY_NOW);

    expect(receiver.received.length).toBe(before);
    expect((await read(id)).attempts).toMatchObject([{ outcome: 'interrupted', statusCode: null }]);
  });

  test('control: without a change, the worker signs again and sends', async () => {
    const id = await waiting(partner);
    await attemptAround(id, () => delay(0.75 * LEASE_MS));
    expect(await read(id)).toMatchObject({ state: 'succeeded', attemptsMade: 1 });
  });
});

test('during a rotation, deliveries wait until the partner can know the new secret', async () => {
  const id = await waiting(partner);
  // As right after a rotation, however long the test takes until the attempt.
  const rotated = { secretRotatedAt: { $add: ['$$NOW', 60_000] } };
  await changeRow(service, 'webhook_subscriptions', subscription.id, [{ $set: rotated }]);

  expect(await service.attempt(id)).toMatchObject({ kind: 'later' });
  expect((await read(id)).attempts).toEqual([]);
});

test('deliveries are also signed with the old secret until its overlap has ended', async () => {
  const previous = 'x-service-signature-previous';
  await rotate(600);
  await service.attempt(await waiting(partner));
  expect(receiver.received.at(-1)?.headers).toHaveProperty(previous);
  const ended = { previousSecretUntil: new Date(Date.now() - 1) };
  await changeRow(service, 'webhook_subscriptions', subscription.id, { $set: ended });
  // Any change of the subscription makes workers read it again.
  await moveTo(receiver.url);
  await service.attempt(await waiting(partner));
  expect(receiver.received.at(-1)?.headers).not.toHaveProperty(previous);
});

describe('control: a failure counts', () => {
  test.each([
    ['if nothing was changed', () => Promise.resolve()],
    [
      'if only the events were changed, or the key that encrypts the stored secret',
      async () => {
        const fields = { event_types: ['booking_created'] };
        expectStatus(await partner.api.patch(`${WEBHOOKS}/${subscription.id}`, fields), 200);
        const aad = { owner: partner.id, id: subscription.id };
        const sealedSecret = await seal(subscription.secretKey, aad);
        await changeRow(service, 'webhook_subscriptions', subscription.id, { $set: { sealedSecret } });
      },
    ],
  ])('%s', async (_what, happen) => {
    receiver.respondWith(401);
    const id = await waiting(partner);
    expect(await attemptAround(id, happen)).toEqual({
      kind: 'retry',
      inMs: FIVE_MINUTES_MS,
      attempt: `HTTP 401 from ${new URL(receiver.url).host} (attempt 1 of 5)`,
    });
    expect(await health()).toBe(1);
  });
});

test('when rotations race with attempts, each delivery succeeds at its first counted attempt', async () => {
  let rotation = Promise.resolve();
  // The receiver responds only once the test knows the rotated secret.
  receiver.respondWith((attempt, response) => {
    void rotation.then(() => respondByContract(attempt, response));
  });
  for (let round = 0; round < 5; round += 1) {
    const id = await waiting(partner);
    rotation = rotate();
    await Promise.all([service.attempt(id), rotation]);
    if ((await read(id)).state !== 'succeeded') await service.attempt(id);
    const { state, attemptsMade } = await read(id);
    expect({ state, attemptsMade }).toEqual({ state: 'succeeded', attemptsMade: 1 });
  }
});
