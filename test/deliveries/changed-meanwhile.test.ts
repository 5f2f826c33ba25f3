import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { deactivateSubscription } from '../../src/deliveries/deactivate-subscription.service.ts';
import type { WebhookMessage } from '../../src/sender/send-webhook.ts';
import { anyDelivery } from '../support/deliveries.ts';
import type { DeliveryScene } from '../support/delivery-scene.ts';
import { endDeliveryScene, startDeliveryScene } from '../support/delivery-scene.ts';
import type { Partner } from '../support/factories.ts';
import { anyPartner, dateIn, expectStatus, subscribe } from '../support/factories.ts';
import type { WebhookReceiver } from '../support/receiver.ts';
import { isGenuine, startReceiver } from '../support/receiver.ts';
import { rowOf } from '../support/rows.ts';
import { attemptDelivery } from '../support/service-calls.ts';

const WEBHOOKS = '/api/v1/partner/webhooks';
const FIVE_MINUTES_MS = 300_000;

let { service, sender, receiver, venue, slots } = {} as DeliveryScene;
let partner: Partner;
let subscription: { id: string; secretKey: string };
/** What the receiver verifies with. */
let secretKey: string;
let elsewhere: WebhookReceiver | undefined;
beforeAll(async () => {
  ({ service, sender, receiver, venue, slots } = await startDeliveryScene(
    [{ duration_minutes: 15 }],
    dateIn(3),
  ));
});
afterAll(async () => {
  await elsewhere?.close();
  await endDeliveryScene({ service, sender, receiver });
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

/** Makes an attempt in which `happen` comes after all was read and before anything is sent. */
const attemptIn = (id: string, happen: () => Promise<unknown>, times = 1) =>
  attemptDelivery(
    service,
    {
      send: async (message: WebhookMessage) => {
        await happen();
        return sender.send(message);
      },
    },
    id,
    times,
  );

const AGAIN_NOW = { kind: 'later', inMs: 0, attemptsMade: 0 };

describe('an attempt that fails because its subscription was changed while it was made is made again at once, uncounted', () => {
  test.each([0, 600])('by a rotation with an overlap of %d s', async (overlapSeconds) => {
    const id = await waiting();
    expect(await attemptIn(id, () => rotate(overlapSeconds))).toEqual(AGAIN_NOW);
    expect(await read(id)).toMatchObject({
      state: 'pending',
      attemptsMade: 0,
      leaseUntil: null,
      attempts: [{ attempt: 1, outcome: 'interrupted', error: 'subscription_changed', statusCode: 401 }],
    });
    await attemptDelivery(service, sender, id);
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
    expect(await attemptIn(id, () => moveTo(other.url))).toEqual(AGAIN_NOW);
    expect(await health()).toBe(0);
    await attemptDelivery(service, sender, id);
    expect(await read(id)).toMatchObject({ state: 'succeeded', attemptsMade: 1 });
    expect(other.received).toHaveLength(1);
  });

  test('by a deactivation, which cancels it: no dead letter, and no alert', async () => {
    receiver.respondWith(500);
    const id = await waiting();
    await attemptDelivery(service, sender, id, 4);
    const last = await attemptIn(id, () => deactivateSubscription(service.context, subscription.id));
    expect(last).toEqual({ ...AGAIN_NOW, attemptsMade: 4 });
    await attemptDelivery(service, sender, id);
    expect(await read(id)).toMatchObject({ state: 'cancelled', attemptsMade: 4 });
    expect(await read(id)).not.toHaveProperty('alertPending');
  });
});

test('a response of 2xx is a success, whatever was changed meanwhile', async () => {
  receiver.respondWith(200);
  const id = await waiting();
  await attemptIn(id, async () => {
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
        const sealedSecret = service.context.secretBox.seal(subscription.secretKey, aad);
        await service.context.db
          .collection<{ _id: string }>('webhook_subscriptions')
          .updateOne({ _id: subscription.id }, { $set: { sealedSecret } });
      },
    ],
  ])('%s', async (_what, happen) => {
    receiver.respondWith(401);
    const id = await waiting();
    expect(await attemptIn(id, happen)).toEqual({ kind: 'retry', inMs: FIVE_MINUTES_MS, attemptsMade: 1 });
    expect(await health()).toBe(1);
  });
});

test('rotations that race with attempts cost none: each delivery succeeds at its first counted attempt', async () => {
  for (let round = 0; round < 15; round += 1) {
    const id = await waiting();
    await Promise.all([attemptDelivery(service, sender, id), rotate()]);
    if ((await read(id)).state !== 'succeeded') await attemptDelivery(service, sender, id);
    const { state, attemptsMade } = await read(id);
    expect({ state, attemptsMade }).toEqual({ state: 'succeeded', attemptsMade: 1 });
  }
});
