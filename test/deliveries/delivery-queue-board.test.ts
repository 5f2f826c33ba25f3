import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DeliveryRow } from '../../src/deliveries/deliveries.model.ts';
import { deliveryJobId } from '../../src/queues/jobs.ts';
import { createClient } from '../support/client.ts';
import type * as InTheHost from '../support/delivery-scene.in-host.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  expectStatus,
  freeSlotIds,
  operatorOf,
  placeHold,
  subscribe,
} from '../support/factories.ts';
import { headerOf, startReceiver } from '../support/receiver.ts';
import { rowOf } from '../support/rows.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';

const QUEUES_PATH = '/queues/api/queues';
const QUEUE_NAMES = ['hold-expiry', 'webhook-delivery', 'webhook-dead-letter'];

const service = await hostedService({
  overrides: { WEBHOOK_RETRY_DELAYS_SECONDS: '0.1,0.1' },
  hasWorkers: true,
});
const { jobState } = service.inHost<typeof InTheHost>('test/support/delivery-scene.in-host.ts');
const receiver = await startReceiver(500);
const operator = operatorOf(service);
/** A dead letter of three failed attempts. */
let delivery: DeliveryRow;

beforeAll(async () => {
  const venue = await anyVenue(service);
  const partner = await anyPartner(service, [venue.id]);
  await subscribe(partner, receiver.url, ['hold_created']);
  const [slotId = ''] = await freeSlotIds(partner, venue.id);
  await placeHold(partner, slotId);
  await eventually('the dead letter', async () => (await readRow()).state === 'dead_letter');
  delivery = await readRow();
  await jobIs('failed');
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

const readRow = () => rowOf(service, 'deliveries', {});

async function boardQueues(query = ''): Promise<Json[]> {
  const body = expectStatus(await operator.get(`${QUEUES_PATH}${query}`), 200);
  return body['queues'] as Json[];
}

async function jobIs(state: string): Promise<void> {
  await eventually(`the delivery job is ${state}`, async () => {
    const { _id, generation } = await readRow();
    return (await jobState('webhook-delivery', deliveryJobId(_id, generation))) === state;
  });
}

/** As the button of the board does. */
const retryOnBoard = async () => {
  const job = deliveryJobId(delivery._id, delivery.generation);
  return expectStatus(await operator.send('PUT', `${QUEUES_PATH}/webhook-delivery/${job}/retry`), 204);
};

test('nobody reaches the board or its data without signing in, and an operator does either way', async () => {
  const { send } = createClient(service.adminUrl, undefined);
  const asBrowser = { headers: { accept: 'text/html' } };
  const signIn = (key: string) =>
    send('POST', '/sign-in', {
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
      },
      body: new URLSearchParams({ key, next: '/queues' }).toString(),
    });

  expect((await send('GET', QUEUES_PATH)).status).toBe(401);
  expect((await send('PUT', `${QUEUES_PATH}/webhook-delivery/any/retry`)).status).toBe(401);
  const page = await send('GET', '/queues', asBrowser);
  expect([page.status, page.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fqueues']);
  expect((await signIn('not-the-key-of-the-operator-0123456789')).status).toBe(401);

  const signedIn = await signIn(OPERATOR_KEY);
  const cookie = String(signedIn.headers.get('set-cookie')).split(';')[0] ?? '';
  expect((await send('GET', QUEUES_PATH, { headers: { cookie } })).status).toBe(200);
  expect((await operator.get(QUEUES_PATH)).status).toBe(200);
});

test('the board shows all queues, and of their jobs ids and counts only, and why a delivery failed', async () => {
  expect((await boardQueues()).map((queue) => queue['name'])).toEqual([...QUEUE_NAMES]);
  const shown: Record<string, string[]> = {};
  for (const name of QUEUE_NAMES) {
    const queue = (await boardQueues(`?activeQueue=${name}&status=latest&page=1`)).find(
      (each) => each['name'] === name,
    );
    const jobs = (queue?.['jobs'] ?? []) as { data: Json; failedReason?: string }[];
    if (name === 'webhook-delivery') {
      expect(jobs.map(({ failedReason }) => failedReason)).toContain(
        'Dead letter after 3 attempts; the last: http_status 500',
      );
    }
    shown[name] = [...new Set(jobs.flatMap(({ data }) => Object.keys(data)))].sort();
  }

  expect(shown).toEqual({
    'hold-expiry': ['holdIds'],
    'webhook-delivery': [
      'deliveryId',
      'generation',
      'isKnownDead',
      'partnerId',
      'reservationIds',
      'subscriptionId',
    ],
    'webhook-dead-letter': ['deliveryId'],
  });
});

test('its retry of a dead letter makes exactly one more attempt, and a failure of that leaves it a dead letter', async () => {
  const attempts = receiver.received.length;

  await retryOnBoard();

  await eventually('one more attempt', () => receiver.received.length > attempts);
  await eventually('it is recorded', async () => (await readRow()).attempts.at(-1)?.outcome === 'failed');
  await jobIs('failed');
  expect(receiver.received).toHaveLength(attempts + 1);
  expect(await readRow()).toMatchObject({ state: 'dead_letter', nextAttemptAt: null });
  const last = receiver.received.at(-1);
  expect(last?.body['event_id']).toBe(delivery.eventId);
  expect(last === undefined ? '' : headerOf(last, 'x-delivery-attempt')).toBe(String(attempts + 1));
});

test('its retry of a dead letter whose endpoint has recovered delivers it', async () => {
  const attempts = receiver.received.length;
  receiver.respondWith(200);

  await retryOnBoard();

  await eventually('it is delivered', async () => (await readRow()).state === 'succeeded');
  await jobIs('completed');
  expect(receiver.received).toHaveLength(attempts + 1);
  expect(await readRow()).toMatchObject({ deadLetteredAt: null, nextAttemptAt: null });
});

test('its retry of a delivery that has succeeded sends nothing', async () => {
  const attempts = receiver.received.length;

  await retryOnBoard();
  await jobIs('completed');

  expect(receiver.received).toHaveLength(attempts);
  expect(await readRow()).toMatchObject({ state: 'succeeded' });
});
