import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DeliveryRow } from '../../src/webhooks/deliveries/deliveries.model.ts';
import { eventually } from '../support/eventually.ts';
import { placeHold, subscribe } from '../support/factories.ts';
import { type Answering, headerOf, startReceiver, type WebhookReceiver } from '../support/receiver.ts';
import { rowOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { type Service, startService } from '../support/service.ts';
import { endProcesses, logged, START_DEADLINE_MS, startProcess, stopProcess } from '../support/worker-process.ts';

/** The time that an orchestrator waits before it kills a process. */
const GRACE_MS = 25_000;

const services: Service[] = [];
const receivers: WebhookReceiver[] = [];

/** A delivery worker whose first attempt has arrived at a receiver, which has not responded. */
async function startAttempt(answering: Answering, overrides: Record<string, string>) {
  const service = await startService(overrides);
  services.push(service);
  const receiver = await startReceiver(answering);
  receivers.push(receiver);
  const { partner, slot } = await startScene(service);
  await subscribe(partner, receiver.url, ['hold_created']);
  const startWorker = () => startProcess('workers/webhook-delivery.ts', service.environment);
  const worker = startWorker();
  await placeHold(partner, slot());
  await eventually('the first attempt arrives', () => receiver.received.length === 1, START_DEADLINE_MS);
  const readRow = () => rowOf(service, 'deliveries', {});
  const isDelivered = async () => (await readRow()).state === 'succeeded';
  return { receiver, worker, startWorker, readRow, isDelivered };
}

async function stopDuringSlowAttempt() {
  let answer = (): void => undefined;
  const scene = await startAttempt((_attempt, response) => {
    answer = () => void response.writeHead(200).end();
  }, {});
  const stopping = stopProcess(scene.worker);
  await logged(scene.worker, 'stopping');
  answer();
  const { code } = await stopping;
  return { code, row: await scene.readRow() };
}

async function stopDuringHangingAttempt() {
  // The attempt's timeout is longer than the grace, so the attempt cannot end in time.
  const scene = await startAttempt(() => undefined, { WEBHOOK_TIMEOUT_MS: '60000' });
  const end = await stopProcess(scene.worker);
  const rowAtEnd = await scene.readRow();
  scene.receiver.respondWith(200);
  scene.startWorker();
  await eventually('the next worker delivers', scene.isDelivered, START_DEADLINE_MS);
  return { end, rowAtEnd, row: await scene.readRow(), received: scene.receiver.received };
}

// Run both scenarios concurrently, because they mostly wait.
let slow: ReturnType<typeof stopDuringSlowAttempt>;
let hanging: ReturnType<typeof stopDuringHangingAttempt>;
beforeAll(async () => {
  slow = stopDuringSlowAttempt();
  hanging = stopDuringHangingAttempt();
  await Promise.allSettled([slow, hanging]);
}, 150_000);
afterAll(async () => {
  await endProcesses();
  for (const receiver of receivers) await receiver.close();
  for (const service of services) await service.stop();
});

const outcomesOf = ({ attempts }: DeliveryRow) => attempts.map(({ outcome, attempt }) => [outcome, attempt]);

test('at SIGTERM, a worker completes an attempt that ends in time, and records its result', async () => {
  const { code, row } = await slow;

  expect(code).toBe(0);
  expect(row).toMatchObject({ state: 'succeeded', attemptsMade: 1 });
  expect(outcomesOf(row)).toEqual([['succeeded', 1]]);
});

test('at SIGTERM, a worker interrupts an attempt that hangs, which does not count; the next worker repeats it', async () => {
  const { end, rowAtEnd, row, received } = await hanging;

  expect(end.code).toBe(0);
  expect(end.tookMs).toBeLessThan(GRACE_MS - 2000);
  expect(rowAtEnd).toMatchObject({ state: 'pending', attemptsMade: 0, leaseUntil: null });
  expect(outcomesOf(rowAtEnd)).toEqual([['interrupted', 1]]);
  expect(outcomesOf(row)).toEqual([
    ['interrupted', 1],
    ['succeeded', 1],
  ]);
  expect(received.map((attempt) => headerOf(attempt, 'x-delivery-attempt'))).toEqual(['1', '1']);
  expect(new Set(received.map(({ body }) => body['event_id'])).size).toBe(1);
});
