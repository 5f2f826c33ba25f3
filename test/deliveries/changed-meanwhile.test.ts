import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type * as Deactivation from '../../src/deliveries/deactivate-subscription.service.ts';
import { anyDelivery } from '../support/deliveries.ts';
import { startDeliveryScene } from '../support/delivery-scene.ts';
import type { Partner } from '../support/factories.ts';
import { anyPartner, expectStatus, subscribe } from '../support/factories.ts';
import type { WebhookReceiver } from '../support/receiver.ts';
import { isGenuine, startReceiver } from '../support/receiver.ts';
import { rowOf } from '../support/rows.ts';
import { sharedService } from '../support/service-host.ts';
import type * as ChangedMeanwhile from './changed-meanwhile.in-host.ts';

const WEBHOOKS = '/api/v1/partner/webhooks';
const FIVE_MINUTES_MS = 300_000;

const service = sharedService();
const { receiver, venue, slots, attemptAround, end } = await startDeliveryScene(service);
const { deactivateSubscription } = service.inHost<typeof Deactivation>(
  'src/deliveries/deactivate-subscription.service.ts',
);
const { seal } = service.inHost<typeof ChangedMeanwhile>('test/deliveries/changed-meanwhile.in-host.ts');
let partner: Partner;
let subscription: { id: string; secretKey: string };
/** What the receiver verifies with. */
let secretKey: string;
let elsewhere: WebhookReceiver | undefined;
afterAll(async () => {
  await elsewhere?.close();
  await end();
});
beforeEach(async () => {
  partner = await anyPartner(service, [venue.id]);
  subscription = await subscribe(partner, receiver.url, ['hold_created']);
  ({ secretKey } = subscription);
  receiver.respondWith((attempt, response) => {
    response.writeHead(isGenuine(attempt, secretKey) ? 200 : 401).end();
  });
});

const waiting = () => anyDelivery(service, partner, partner, slots.shift() ?? '');
const read = (id: string) => rowOf(service, 'deliveries', { _id: id });
const health = async () =>
  (await rowOf(service, 'webhook_subscriptions', { _id: subscription.id })).consecutiveFailures;
const rotate = async (overlapSeconds = 0) => {
  const body = { overlap_seconds: overlapSeconds };
  const reply = await partner.api.post(`${WEBHOOKS}/${subscription.id}/rotate-secret`, body);
  secretKey = String(expectStatus(reply, 200)['secret_key']);
};
const moveTo = async (url: string) =>
  expectStatus(await partner.api.patch(`${WEBHOOKS}/${subscription.id}`, { endpoint_url: url }), 200);

const AGAIN_NOW = { kind: 'later', inMs: 0, attemptsMade: 0 };

describe('an attempt that fails because its subscription was changed while it was made is made again at once, uncounted', () => {
  test.each([0, 600])('by a rotation with an overlap of %d s', async (overlapSeconds) => {
    const id = await waiting();
    expect(await attemptAround(id, () => rotate(overlapSeconds))).toEqual(AGAIN_NOW);
    expect(await read(id)).toMatchObject({
      state: 'pending',
      attemptsMade: 0,
      leaseUntil: null,
      attempts: [{ attempt: 1, outcome: 'interrupted', error: 'subscription_changed', statusCode: 401 }],
    });
    await service.attempt(id);
    const { state, attemptsMade, attempts } = await read(id);
    expect({ state, attemptsMade }).toEqual({ state: 'succeeded', attemptsMade: 1 });
    expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 1]);
    expect(await health()).toBe(0);
  });

  test('by another address, to which it then goes', async () => {
    const other = await startReceiver();
    elsewhere = other;
    receiver.respondWith(500);
    const id = await waiting();
    expect(await attemptAround(id, () => moveTo(other.url))).toEqual(AGAIN_NOW);
    expect(await health()).toBe(0);
    await service.attempt(id);
    expect(await read(id)).toMatchObject({ state: 'succeeded', attemptsMade: 1 });
    expect(other.received).toHaveLength(1);
  });

  test('by a deactivation, which cancels it: no dead letter, and no alert', async () => {
    receiver.respondWith(500);
    const id = await waiting();
    await service.attempt(id, 4);
    const last = await attemptAround(id, () => deactivateSubscription(subscription.id));
    expect(last).toEqual({ ...AGAIN_NOW, attemptsMade: 4 });
    await service.attempt(id);
    expect(await read(id)).toMatchObject({ state: 'cancelled', attemptsMade: 4 });
    expect(await read(id)).not.toHaveProperty('alertPending');
  });
});

test('a response of 2xx is a success, whatever was changed meanwhile', async () => {
  receiver.respondWith(200);
  const id = await waiting();
  await attemptAround(id, async () => {
    await rotate();
    await moveTo('http://127.0.0.1:9/elsewhere');
  });
  expect(await read(id)).toMatchObject({ state: 'succeeded', attemptsMade: 1 });
});

describe('control: a failure counts', () => {
  test.each([
    ['where nothing was changed', () => Promise.resolve()],
    [
      'where what was changed is none of it: the events, or the key under which the secret is stored',
      async () => {
        const fields = { event_types: ['booking_created'] };
        expectStatus(await partner.api.patch(`${WEBHOOKS}/${subscription.id}`, fields), 200);
        const aad = { owner: partner.id, id: subscription.id };
        const sealedSecret = await seal(subscription.secretKey, aad);
        await service.context.db
          .collection<{ _id: string }>('webhook_subscriptions')
          .updateOne({ _id: subscription.id }, { $set: { sealedSecret } });
      },
    ],
  ])('%s', async (_what, happen) => {
    receiver.respondWith(401);
    const id = await waiting();
    expect(await attemptAround(id, happen)).toEqual({
      kind: 'retry',
      inMs: FIVE_MINUTES_MS,
      attemptsMade: 1,
    });
    expect(await health()).toBe(1);
  });
});

test('rotations that race with attempts cost none: each delivery succeeds at its first counted attempt', async () => {
  for (let round = 0; round < 15; round += 1) {
    const id = await waiting();
    await Promise.all([service.attempt(id), rotate()]);
    if ((await read(id)).state !== 'succeeded') await service.attempt(id);
    const { state, attemptsMade } = await read(id);
    expect({ state, attemptsMade }).toEqual({ state: 'succeeded', attemptsMade: 1 });
  }
});
