import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deliveryJobId } from '../../src/queues/jobs.ts';
import type { DeliveryRow } from '../../src/webhooks/deliveries/deliveries.model.ts';
import type * as InTheHost from '../support/delivery-scene.in-host.ts';
import { eventually } from '../support/eventually.ts';
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
import { hostedService } from '../support/service-host.ts';

const QUEUES_PATH = '/queues/api/queues';

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

test('a worker makes the retries by itself, each after its delay', () => {
  const sentAt = receiver.received.map(({ atMs }) => atMs);
  const gaps = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0));
  expect(gaps.map((gap) => gap >= 100)).toEqual([true, true]);
  expect(delivery.attempts.map(({ deliveryId }) => deliveryId)).toEqual(
    receiver.received.map(({ body }) => body['delivery_id']),
  );
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
