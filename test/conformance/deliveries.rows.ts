import { createHmac, timingSafeEqual } from 'node:crypto';
import { expect } from 'expect';
import { eventually } from '../support/eventually.ts';
import { expectStatus } from '../support/factories.ts';
import { headerOf, isGenuine, type Received, standardSignature } from '../support/receiver.ts';
import type { Row } from './row.ts';
import { expectSameRefusal, expectVerdict, held, inScene, NOWHERE, newKey, UUID_V7 } from './steps.ts';
import {
  ADVANCE,
  advance,
  arrival,
  attemptNumber,
  attemptsOf,
  DELIVERIES,
  deactivate,
  deadLetter,
  deliveryOnce,
  failedOnce,
  listen,
  nextAttempt,
  OBSERVABILITY,
  readDelivery,
  redeliver,
  waitOf,
} from './webhook-steps.ts';
import type { World } from './world.ts';

const LIST = `GET ${OBSERVABILITY}`;
const ADVANCED = `POST ${ADVANCE}/{id}/advance`;
const REDELIVER = `POST ${OBSERVABILITY}/deliveries/{id}/redeliver`;

/** The delivery of a new hold to a receiver that returns 200. */
async function anyArrival(world: World): Promise<{ attempt: Received; secretKey: string }> {
  const scene = await world.scene();
  const listener = await listen(world, scene.partner, ['hold_created']);
  await held(scene);
  return { attempt: await arrival(listener, 'the hold'), secretKey: listener.secretKey };
}

const HEADERS: readonly Row[] = [
  {
    rules: ['webhooks/headers', 'webhooks/event-id-and-delivery-id'],
    title: 'headers: application/json, the type of the event, the delivery_id of the body, and attempt 1',
    check: async (world) => {
      const { attempt } = await anyArrival(world);
      expect(attempt.headers).toMatchObject({
        'content-type': 'application/json',
        'x-webhook-event': 'hold_created',
        'x-delivery-id': attempt.body['delivery_id'],
        'x-delivery-attempt': '1',
      });
      expect(attempt.body['delivery_id']).toEqual(UUID_V7);
    },
  },
  {
    rules: ['webhooks/signature', 'subscriptions/secret', 'webhooks/signed-when-sent'],
    title: 'X-Service-Signature is sha256= and the hex HMAC-SHA256 of "<timestamp>.<bytes>" with the secret_key',
    check: async (world) => {
      const { attempt, secretKey } = await anyArrival(world);
      const signed = Buffer.concat([Buffer.from(`${headerOf(attempt, 'x-service-timestamp')}.`), attempt.bytes]);
      const expected = `sha256=${createHmac('sha256', secretKey).update(signed).digest('hex')}`;
      const given = headerOf(attempt, 'x-service-signature');
      expect(given).toMatch(/^sha256=[0-9a-f]{64}$/);
      // Compare in constant time, as receivers must.
      expect(timingSafeEqual(Buffer.from(given), Buffer.from(expected))).toBe(true);
    },
  },
  {
    rules: ['webhooks/standard-webhooks'],
    title: 'webhook-id is the event_id, webhook-timestamp the time of sending, webhook-signature by the decoded secret',
    check: async (world) => {
      const { attempt, secretKey } = await anyArrival(world);
      expect(attempt.headers).toMatchObject({
        'webhook-id': attempt.body['event_id'],
        'webhook-timestamp': headerOf(attempt, 'x-service-timestamp'),
        'webhook-signature': standardSignature(attempt, secretKey),
      });
    },
  },
  {
    rules: ['webhooks/replay-window', 'webhooks/signed-when-sent'],
    title: 'X-Service-Timestamp is the time of sending; receivers reject it 301 s later, and altered bytes or headers',
    check: async (world) => {
      const { attempt, secretKey } = await anyArrival(world);
      const sentAt = Number(headerOf(attempt, 'x-service-timestamp'));
      expect(Math.abs(attempt.atUnixSeconds - sentAt)).toBeLessThan(5);
      const accepts = (change: Partial<Received>) => isGenuine({ ...attempt, ...change }, secretKey);
      const withHeader = (name: string, value: string) => ({ headers: { ...attempt.headers, [name]: value } });
      expect([accepts({}), accepts({ atUnixSeconds: sentAt + 300 }), accepts({ atUnixSeconds: sentAt - 300 })]).toEqual(
        [true, true, true],
      );
      const rejections = [
        { atUnixSeconds: sentAt + 301 },
        { atUnixSeconds: sentAt - 301 },
        { bytes: Buffer.from(JSON.stringify(attempt.body, null, 1)) },
        withHeader('x-service-timestamp', String(sentAt + 1)),
        withHeader('x-service-timestamp', 'soon'),
        withHeader('x-service-signature', headerOf(attempt, 'x-service-signature').slice('sha256='.length)),
      ];
      expect(rejections.map(accepts)).toEqual(rejections.map(() => false));
    },
  },
];

/** A response that ends a delivery. */
const succeeding = (status: number): Row => ({
  rules: ['webhooks/success'],
  title: `a response of ${status} is a success, after one attempt`,
  check: inScene(async (scene, world) => {
    const listener = await listen(world, scene.partner, ['hold_created'], status);
    await held(scene);
    const delivery = await deliveryOnce(listener, 'an attempt', (now) => attemptsOf(now).length > 0);
    expect(delivery).toMatchObject({ state: 'succeeded', attempts: [{ status_code: status, error: null }] });
  }),
});

/** A response after which a delivery waits for its next attempt. */
const failing = (status: number): Row => ({
  rules: ['webhooks/success', 'webhooks/redirects', 'webhooks/retry-delays'],
  title: `a response of ${status} is a failure, and Location and Retry-After have no effect`,
  check: async (world) => {
    const elsewhere = await world.receiver();
    const headers = { location: elsewhere.url, 'retry-after': '1' };
    const { delivery } = await failedOnce(world, await world.scene(), (_attempt, response) => {
      response.writeHead(status, headers).end();
    });
    expect(delivery).toMatchObject({ state: 'retrying', attempts: [{ status_code: status }] });
    expect(Math.round(waitOf(delivery) / 5) * 5).toBe(300);
    expect(elsewhere.received).toEqual([]);
  },
});

/** Only the partner that receives a delivery can call `operation` for it. */
const notFound = ([operation, prefix, endpoint]: readonly [string, string, string]): Row => ({
  rules: ['observability/not-found'],
  title: `${operation} of a missing delivery and of one to another partner`,
  responses: [`${endpoint} 404 DELIVERY_NOT_FOUND`],
  check: inScene(async (scene, world) => {
    const { delivery } = await failedOnce(world, scene);
    const ask = (id: unknown) => scene.rival.api.post(`${prefix}/${String(id)}/${operation}`);
    await expectSameRefusal([NOWHERE, newKey(), delivery['id']], '404 DELIVERY_NOT_FOUND', ask);
  }),
});

const RETRIES: readonly Row[] = [
  ...[200, 201, 204, 299].map(succeeding),
  ...[302, 400, 404, 410, 500, 503].map(failing),
  {
    rules: ['webhooks/success'],
    title: 'an endpoint that has not responded within 10 seconds has failed',
    check: async (world) => {
      const { delivery } = await failedOnce(world, await world.scene(), () => undefined);
      expect(delivery).toMatchObject({ state: 'retrying', attempts: [{ status_code: null }] });
      const [attempt] = attemptsOf(delivery);
      expect(Number(attempt?.['duration_ms'])).toBeGreaterThanOrEqual(9900);
      expect(Number(attempt?.['duration_ms'])).toBeLessThan(11_500);
    },
  },
  {
    rules: ['webhooks/retry-delays'],
    title: 'the next attempt is 5, 15, 30 and 60 minutes after each failure',
    responses: [`${LIST} 200`, `${ADVANCED} 200`],
    check: async (world) => {
      const { waiting } = await deadLetter(world, await world.scene());
      const waits = waiting.map((delivery) => Math.round(waitOf(delivery) / 5) * 5);
      expect(waits).toEqual([300, 900, 1800, 3600]);
    },
  },
  {
    rules: ['webhooks/attempts', 'webhooks/event-id-and-delivery-id', 'webhooks/headers'],
    title: '5 attempts, numbered from 1, with one event_id and timestamp; each has its own delivery_id and signature',
    check: async (world) => {
      const { listener } = await deadLetter(world, await world.scene());
      const { received } = listener.receiver;
      expect(received.map((attempt) => headerOf(attempt, 'x-delivery-attempt'))).toEqual(['1', '2', '3', '4', '5']);
      expect(received.map((attempt) => isGenuine(attempt, listener.secretKey))).toEqual(Array(5).fill(true));
      const distinct = (name: string) => new Set(received.map(({ body }) => body[name])).size;
      expect([distinct('event_id'), distinct('delivery_id'), distinct('timestamp')]).toEqual([1, 5, 1]);
      const ids = received.map((attempt) => headerOf(attempt, 'x-delivery-id'));
      expect(ids).toEqual(received.map(({ body }) => body['delivery_id']));
      const signatures = received.map((attempt) => headerOf(attempt, 'x-service-signature'));
      expect(new Set(signatures).size).toBe(5);
    },
  },
  {
    rules: ['webhooks/signed-when-sent', 'webhooks/signature'],
    title: 'each retry has a new timestamp and a new signature, made with the secret that is current then',
    check: async (world) => {
      const { listener, delivery } = await failedOnce(world, await world.scene());
      const path = `/api/v1/partner/webhooks/${listener.id}/rotate-secret`;
      const rotated = String(expectStatus(await listener.partner.api.post(path), 200)['secret_key']);
      await nextAttempt(listener, delivery);
      const [first, second] = listener.receiver.received;
      if (first === undefined || second === undefined) throw new Error('There are no two attempts');
      expect([isGenuine(first, listener.secretKey), isGenuine(second, rotated)]).toEqual([true, true]);
      expect([isGenuine(first, rotated), isGenuine(second, listener.secretKey)]).toEqual([false, false]);
      for (const attempt of [first, second]) {
        const sentAt = Number(headerOf(attempt, 'x-service-timestamp'));
        expect(Math.abs(attempt.atUnixSeconds - sentAt)).toBeLessThan(5);
      }
    },
  },
  {
    rules: ['webhooks/dead-letter', 'observability/list'],
    title: 'after the last attempt the state is dead_letter, nothing more is sent, and the partner can list it',
    responses: [`${LIST} 200`, `${ADVANCED} 409 DELIVERY_IN_PROGRESS`],
    check: async (world) => {
      const { listener, delivery } = await deadLetter(world, await world.scene());
      expect(delivery).toMatchObject({ state: 'dead_letter', next_attempt_at: null });
      expect(delivery['dead_lettered_at']).toEqual(expect.any(String));
      await expectVerdict(advance(listener, delivery['id']), '409 DELIVERY_IN_PROGRESS');
      expect(listener.receiver.received).toHaveLength(5);
      const shown = (await listener.partner.api.get(OBSERVABILITY)).body;
      expect(shown).toMatchObject({ count: 1, data: [{ id: delivery['id'], state: 'dead_letter' }] });
    },
  },
  {
    rules: ['webhooks/dead-letter-alert'],
    title: 'a dead letter is logged as an error, once',
    needs: 'internals',
    check: async (world, internals) => {
      const { delivery } = await deadLetter(world, await world.scene());
      const alerts = await eventually('the line of the dead letter', async () => {
        const lines = await internals.service.workerLogs();
        const found = lines.filter((line) => line['alert'] === 'dead_letter' && line['delivery'] === delivery['id']);
        return found.length > 0 && found;
      });
      expect(alerts).toMatchObject([{ level: 'error', attempts: 5 }]);
    },
  },
  {
    rules: ['webhooks/at-least-once', 'webhooks/event-id-and-delivery-id', 'observability/redeliver'],
    title: 'an event can arrive twice with the same event_id: a successful delivery can be redelivered',
    responses: [`${REDELIVER} 202`],
    check: inScene(async (scene, world) => {
      const listener = await listen(world, scene.partner, ['hold_created']);
      await held(scene);
      const delivery = await deliveryOnce(listener, 'a success', ({ state }) => state === 'succeeded');
      expectStatus(await redeliver(listener, delivery['id']), 202);
      const [first, second] = [await attemptNumber(listener, 1), await attemptNumber(listener, 2)];
      expect(second.body['event_id']).toBe(first.body['event_id']);
      expect(second.body['delivery_id']).not.toBe(first.body['delivery_id']);
      expect(headerOf(second, 'x-delivery-attempt')).toBe('1');
    }),
  },
  {
    rules: ['observability/redeliver'],
    title: 'redelivery of a dead letter is 202, and starts a new series of five attempts, numbered from 1',
    check: async (world) => {
      const { listener, delivery } = await deadLetter(world, await world.scene());
      expectStatus(await redeliver(listener, delivery['id']), 202);
      expect(headerOf(await attemptNumber(listener, 6), 'x-delivery-attempt')).toBe('1');
      const retrying = await deliveryOnce(listener, 'its failure', ({ state }) => state === 'retrying');
      expect(retrying).toMatchObject({ event_id: delivery['event_id'] });
      expect(Math.round(waitOf(retrying) / 5) * 5).toBe(300);
      listener.receiver.respondWith(200);
      expectStatus(await advance(listener, delivery['id']), 200);
      await deliveryOnce(listener, 'a success', ({ state }) => state === 'succeeded');
      const numbers = listener.receiver.received.map((attempt) => headerOf(attempt, 'x-delivery-attempt'));
      expect(numbers).toEqual(['1', '2', '3', '4', '5', '1', '2']);
    },
  },
  {
    rules: ['observability/redeliver'],
    title: 'redelivery of a delivery that waits for a retry is 202, also by X-Delivery-Id, and starts a new series now',
    check: async (world) => {
      const { listener, delivery } = await failedOnce(world, await world.scene());
      listener.receiver.respondWith(200);
      const attemptId = attemptsOf(delivery)[0]?.['delivery_id'];
      expect(await readDelivery(listener, attemptId)).toEqual(delivery);
      expect(expectStatus(await redeliver(listener, attemptId), 202)['id']).toBe(delivery['id']);
      expect(headerOf(await attemptNumber(listener, 2), 'x-delivery-attempt')).toBe('1');
      await deliveryOnce(listener, 'a success', ({ state }) => state === 'succeeded');
    },
  },
  {
    rules: ['observability/redeliver'],
    title: 'redelivery during an attempt is 409',
    responses: [`${REDELIVER} 409 DELIVERY_IN_PROGRESS`],
    check: inScene(async (scene, world) => {
      const listener = await listen(world, scene.partner, ['hold_created'], () => undefined);
      await held(scene);
      await arrival(listener, 'the attempt');
      const { id } = await deliveryOnce(listener, 'the delivery', () => true);
      await expectVerdict(redeliver(listener, id), '409 DELIVERY_IN_PROGRESS');
    }),
  },
  ...(
    [
      ['redeliver', DELIVERIES, REDELIVER],
      ['advance', ADVANCE, ADVANCED],
    ] as const
  ).map(notFound),
  {
    rules: ['subscriptions/inactive'],
    title: 'a subscription that is deactivated before a retry gets no more deliveries',
    check: async (world) => {
      const { listener, delivery } = await failedOnce(world, await world.scene());
      await deactivate(world, listener);
      await deliveryOnce(listener, 'its end', ({ state }) => state === 'cancelled');
      await expectVerdict(advance(listener, delivery['id']), '409 DELIVERY_IN_PROGRESS');
      expect(listener.receiver.received).toHaveLength(1);
    },
  },
  {
    rules: ['sandbox/advance-delivery'],
    title: "advance makes a delivery's next attempt now: 200, and the attempt arrives",
    check: async (world) => {
      const { listener, delivery } = await failedOnce(world, await world.scene());
      listener.receiver.respondWith(200);
      const body = expectStatus(await advance(listener, delivery['id']), 200);
      expect(body['id']).toBe(delivery['id']);
      expect(headerOf(await attemptNumber(listener, 2), 'x-delivery-attempt')).toBe('2');
      const done = await deliveryOnce(listener, 'a success', ({ state }) => state === 'succeeded');
      expect(attemptsOf(done)).toHaveLength(2);
    },
  },
];

/** Deliveries: requests, signatures and retries. */
export const DELIVERY_ROWS: readonly Row[] = [...HEADERS, ...RETRIES];
