import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DeliveryRow } from '../../src/deliveries/deliveries.model.ts';
import { deliveryJobId } from '../../src/queues/jobs.ts';
import { eventually } from '../support/eventually.ts';
import type { Partner } from '../support/factories.ts';
import { anyPartner, anyVenue, freeSlotIds, placeHold, subscribe } from '../support/factories.ts';
import { headerOf, startReceiver } from '../support/receiver.ts';
import { rowOf } from '../support/rows.ts';
import { hostedService } from '../support/service-host.ts';
import type * as DeliverySchedule from './delivery-schedule.in-host.ts';

/** The contract's, in seconds. */
const DELAYS = [300, 900, 1800, 3600];

const service = await hostedService({ hasWorkers: true });
const { readJob, bringForward, deadLettersOf } = service.inHost<typeof DeliverySchedule>(
  'test/deliveries/delivery-schedule.in-host.ts',
);
const receiver = await startReceiver(500);
let partner: Partner;
let slotIds: string[];
beforeAll(async () => {
  const venue = await anyVenue(service);
  partner = await anyPartner(service, [venue.id]);
  await subscribe(partner, receiver.url);
  slotIds = await freeSlotIds(partner, venue.id);
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

/** The delivery of the `hold_created` that a new hold makes, once its first attempt has arrived. */
async function anyDelivery(): Promise<DeliveryRow> {
  const { hold_id } = await placeHold(partner, slotIds.pop() ?? '');
  const attempt = await eventually('the first attempt', () =>
    receiver.received.find(({ body }) => body['hold_id'] === hold_id),
  );
  return rowOf(service, 'deliveries', { eventId: attempt.body['event_id'] });
}

const attemptsOf = (delivery: DeliveryRow) =>
  receiver.received.filter(({ body }) => body['event_id'] === delivery.eventId);
const readRow = (delivery: DeliveryRow) => rowOf(service, 'deliveries', { _id: delivery._id });

const jobIdOf = ({ _id, generation }: DeliveryRow) => deliveryJobId(_id, generation);
const jobIs = (delivery: DeliveryRow, state: string) =>
  eventually(`the job is ${state}`, async () => (await readJob(jobIdOf(delivery))).state === state);

/** The job as it waits for its next attempt after `failures` failed ones. */
const waitingJobOf = (delivery: DeliveryRow, failures: number) =>
  eventually(`the job waits after ${failures} failures`, async () => {
    if ((await readRow(delivery)).attemptsMade !== failures) return false;
    const job = await readJob(jobIdOf(delivery));
    return job.state === 'delayed' && job;
  });

/** Fails the delivery for good: each retry is brought forward as soon as it waits. */
async function failForGood(delivery: DeliveryRow): Promise<void> {
  for (const failures of DELAYS.keys()) {
    await waitingJobOf(delivery, failures + 1);
    await bringForward(jobIdOf(delivery));
  }
  await eventually('the row is a dead letter', async () => (await readRow(delivery)).state === 'dead_letter');
}

test('the real jobs wait exactly 300, 900, 1800 and 3600 s between five attempts', async () => {
  const delivery = await anyDelivery();
  for (const [index, seconds] of DELAYS.entries()) {
    const job = await waitingJobOf(delivery, index + 1);
    expect({ attempt: index + 1, delay: job.delay }).toEqual({ attempt: index + 1, delay: seconds * 1000 });

    const row = await readRow(delivery);
    expect(row).toMatchObject({ state: 'retrying', attemptsMade: index + 1 });
    const sentAt = row.attempts.at(-1)?.sentAt.getTime() ?? 0;
    const waitMs = (row.nextAttemptAt?.getTime() ?? 0) - sentAt;
    expect(waitMs).toBeGreaterThanOrEqual(seconds * 1000);
    expect(waitMs).toBeLessThan(seconds * 1000 + 60_000);
    await bringForward(jobIdOf(delivery));
  }
  await eventually('five attempts', () => attemptsOf(delivery).length === 5);
  const numbers = attemptsOf(delivery).map((attempt) => headerOf(attempt, 'x-delivery-attempt'));
  expect(numbers).toEqual(['1', '2', '3', '4', '5']);
});

test('after the fifth failure the delivery is a dead letter in row, queue and log, and nothing more is sent', async () => {
  const delivery = await anyDelivery();

  await failForGood(delivery);

  const row = await readRow(delivery);
  expect(row).toMatchObject({ state: 'dead_letter', attemptsMade: 5, nextAttemptAt: null });
  expect(row.attempts.map(({ outcome, statusCode }) => [outcome, statusCode])).toEqual(
    Array.from({ length: 5 }, () => ['failed', 500]),
  );
  await jobIs(delivery, 'failed');
  const queued = await eventually('a job in webhook-dead-letter', async () => {
    const own = await deadLettersOf(delivery._id);
    return own.length > 0 && own;
  });
  expect(queued).toEqual([{ deliveryId: delivery._id }]);
  const alerts = (await service.workerLogs()).filter(
    (line) => line['alert'] === 'dead_letter' && line['delivery'] === delivery._id,
  );
  const { holdId } = await rowOf(service, 'events', { _id: delivery.eventId });
  expect(alerts).toEqual([
    expect.objectContaining({
      ...{ level: 'error', event_id: delivery.eventId, attempts: 5, status_code: 500 },
      ...{ hold_id: holdId, booking_id: null, delivery_id: row.attempts.at(-1)?.deliveryId },
      request_id: expect.any(String),
    }),
  ]);
  expect(attemptsOf(delivery)).toHaveLength(5);
});

test('a delivery that succeeds at a retry is sent no more and is no dead letter', async () => {
  const delivery = await anyDelivery();
  await waitingJobOf(delivery, 1);
  receiver.respondWith(200);

  await bringForward(jobIdOf(delivery));

  await eventually('it succeeded', async () => (await readRow(delivery)).state === 'succeeded');
  receiver.respondWith(500);
  await jobIs(delivery, 'completed');
  expect(attemptsOf(delivery)).toHaveLength(2);
  expect(await readRow(delivery)).toMatchObject({ attemptsMade: 2, nextAttemptAt: null });
});
