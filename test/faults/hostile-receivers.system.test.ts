import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DeliveryRow } from '../../src/deliveries/deliveries.model.ts';
import type { Durations } from '../support/durations.ts';
import { eventually } from '../support/eventually.ts';
import type { WebhookReceiver } from '../support/receiver.ts';
import { startReceiver } from '../support/receiver.ts';
import { rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import type { SpawnedProcess } from '../support/worker-process.ts';
import { endProcesses, START_DEADLINE_MS, startProcess } from '../support/worker-process.ts';
import type { Deliveries, Endpoint } from './due-deliveries.ts';
import { anyDeliveries, describeArrivals, streamTo } from './due-deliveries.ts';
import type { HostileReceiver, Hostility } from './hostile-receivers.ts';
import { HOSTILITIES, startHostile } from './hostile-receivers.ts';
import { residentMb } from './memory.ts';
import { report } from './report.ts';

/** The default in the full form. */
const TIMEOUT_MS = scaled(10_000, 2000);
const DELIVERIES_EACH = scaled(2, 1);
const ATTEMPTS = 5;

type Attacked = { hostility: Hostility; receiver: HostileReceiver; endpoint: Endpoint };

let service: Service;
let worker: SpawnedProcess;
let healthy: WebhookReceiver & { endpoint: Endpoint };
const attacked: Attacked[] = [];
let arrivals: Durations;
let beganAt: number;
let memoryMb: { before: number; most: number; after: number };

/** Every hostility at once, and deliveries to a healthy receiver meanwhile. */
beforeAll(async () => {
  beganAt = performance.now();
  service = await startService({
    WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS),
    WEBHOOK_RETRY_DELAYS_SECONDS: '0.1,0.1,0.1,0.1',
  });
  worker = startProcess('workers/webhook-delivery.ts', service.environment);
  const deliveries = await anyDeliveries(service);
  for (const hostility of HOSTILITIES) {
    const receiver = await startHostile(hostility);
    attacked.push({ hostility, receiver, endpoint: await deliveries.endpoint(receiver.url) });
  }
  const receiver = await startReceiver();
  healthy = Object.assign(receiver, { endpoint: await deliveries.endpoint(receiver.url) });
  await worker.ready;
  await streamTo(deliveries, [healthy], 1000);
  await attack(deliveries);
}, START_DEADLINE_MS + 300_000);
afterAll(async () => {
  await endProcesses();
  await healthy.close();
  for (const { receiver } of attacked) await receiver.close();
  await service.stop();
});

async function attack(deliveries: Deliveries): Promise<void> {
  memoryMb = { before: residentMb(worker.pid), most: 0, after: 0 };
  const watch = setInterval(() => {
    memoryMb.most = Math.max(memoryMb.most, residentMb(worker.pid));
  }, 100);
  await deliveries.due(
    attacked.map(({ endpoint }) => endpoint),
    DELIVERIES_EACH,
  );
  arrivals = await streamTo(deliveries, [healthy], scaled(30_000, 4000));
  await eventually('every delivery has ended', async () => (await openRows()).length === 0, 250_000);
  clearInterval(watch);
  memoryMb.after = residentMb(worker.pid);
}

const openRows = () => rowsOf(service, 'deliveries', { state: { $in: ['pending', 'retrying'] } });
const rowsTo = ({ endpoint }: Attacked) => rowsOf(service, 'deliveries', { subscriptionId: endpoint._id });
const outcomesOf = ({ attempts }: DeliveryRow) =>
  attempts.map(({ outcome, error, statusCode }) => ({ outcome, error, statusCode }));

test.each(HOSTILITIES.filter(({ error }) => error !== null).map((each) => [each.name, each] as const))(
  'a receiver that %s fails five times, each within the deadline, and is a dead letter',
  async (_name, hostility) => {
    const target = attacked.find((each) => each.hostility === hostility);
    if (target === undefined) throw new Error('It was not attacked');
    const rows = await rowsTo(target);
    expect(rows.map(({ state }) => state)).toEqual(Array(DELIVERIES_EACH).fill('dead_letter'));
    const { error, statusCode } = hostility;
    for (const row of rows) {
      expect(outcomesOf(row)).toEqual(
        Array.from({ length: ATTEMPTS }, () => ({ outcome: 'failed', error, statusCode })),
      );
      expect(Math.max(...row.attempts.map(({ durationMs }) => durationMs ?? 0))).toBeLessThan(
        TIMEOUT_MS + 1000,
      );
    }
    // One for each attempt: nothing is sent twice, and no redirect comes back.
    expect(target.receiver.exchanges).toBe(ATTEMPTS * DELIVERIES_EACH);
  },
);

test.each(HOSTILITIES.filter(({ error }) => error === null).map((each) => [each.name, each] as const))(
  'a receiver that %s has said 2xx: that counts, and the rest is not read',
  async (_name, hostility) => {
    const target = attacked.find((each) => each.hostility === hostility);
    if (target === undefined) throw new Error('It was not attacked');
    const rows = await rowsTo(target);
    expect(rows.map(({ state }) => state)).toEqual(Array(DELIVERIES_EACH).fill('succeeded'));
    expect(target.receiver.exchanges).toBe(DELIVERIES_EACH);
    expect(target.receiver.poured()).toBeLessThan(DELIVERIES_EACH * 10_000_000);
  },
);

test('the worker that met them all has the memory that it had, and has kept nobody else waiting', async () => {
  expect(memoryMb.most - memoryMb.before).toBeLessThan(150);
  const rows = (await Promise.all(attacked.map(rowsTo))).flat();
  const attempts = rows.flatMap((row) => row.attempts);
  const slowestMs = Math.max(...attempts.map(({ durationMs }) => durationMs ?? 0));
  const poured = attacked.reduce((sum, { receiver }) => sum + receiver.poured(), 0);
  const dead: number = await service.context.queues.byName('webhook-dead-letter').getWaitingCount();
  expect(dead).toBe(rows.filter(({ state }) => state === 'dead_letter').length);
  report({
    promise: 8,
    experiment: `${HOSTILITIES.length} kinds of hostile receiver at once, a deadline of ${TIMEOUT_MS / 1000} s`,
    count: `${rows.length} deliveries, ${attempts.length} attempts`,
    result: `${dead} dead letters, slowest attempt ${slowestMs} ms; resident ${memoryMb.before} MB before, ${memoryMb.most} MB at most, ${memoryMb.after} MB after, ${Math.round(poured / 1e6)} MB poured out; to a healthy receiver meanwhile ${describeArrivals(arrivals)}`,
    beganAt,
  });
});
