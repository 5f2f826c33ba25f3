import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Worker } from 'bullmq';
import { webhookWorkIn } from '../../src/queues/job-data.ts';
import { retryDelivery } from '../../src/webhooks/deliveries/retry-delivery.service.ts';
import { createWebhookSender } from '../../src/webhooks/sender/send-webhook.ts';
import type { Durations } from '../support/durations.ts';
import { type Answering, startReceiver, type WebhookReceiver } from '../support/receiver.ts';
import { rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { type Service, startService } from '../support/service.ts';
import type { SpawnedProcess } from '../support/worker-process.ts';
import { endProcesses, killProcess, START_DEADLINE_MS, startProcess } from '../support/worker-process.ts';
import { anyDeliveries, type Deliveries, describeArrivals, type Endpoint, streamTo } from './due-deliveries.ts';
import { report } from './report.ts';

/** The long tier uses the default settings. */
const PERMITS = scaled(200, 16);
const TIMEOUT_MS = scaled(10_000, 4000);
const STUCK = scaled(500, 24);
const STREAM_MS = scaled(35_000, 2000);
const HEALTHY_RECEIVERS = scaled(4, 2);
/**
 * The most that 500 hanging deliveries may delay others. The short tier only proves that others do not wait until the
 * hanging ones time out.
 */
const PROMISED_P99_MS = scaled(2000, 3000);
/** How late an attempt may be cut. The short tier only proves that it is cut. */
const CUT_LATE_MS = scaled(1000, 30_000);

let service: Service;
let deliveries: Deliveries;
let worker: SpawnedProcess;
const receivers: WebhookReceiver[] = [];

beforeAll(async () => {
  service = await startService({ WEBHOOK_CONCURRENCY: String(PERMITS), WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS) });
  worker = startProcess('workers/webhook-delivery.ts', service.environment);
  deliveries = await anyDeliveries(service);
  await worker.ready;
}, START_DEADLINE_MS);
afterAll(async () => {
  await endProcesses();
  for (const receiver of receivers) await receiver.close();
  await service.stop();
});

type Subscribed = WebhookReceiver & { endpoint: Endpoint };

async function anyReceiver(answering: Answering): Promise<Subscribed> {
  const receiver = await startReceiver(answering);
  receivers.push(receiver);
  return { ...receiver, endpoint: await deliveries.endpoint(receiver.url) };
}

/** Makes `STUCK` deliveries due to a new receiver that never responds. */
async function anyStuck(): Promise<Subscribed> {
  const hanging = await anyReceiver(() => undefined);
  await deliveries.makeDue([hanging.endpoint], STUCK);
  return hanging;
}

/** The resident memory of the worker in MB. */
const workerMb = (): number => {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${worker.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
};

/** The delay that stuck deliveries cause. In the short tier, on a shared machine, the usual delay is subtracted. */
const addedDelayMs = (stuck: Durations, calm: Durations) => stuck.p99 - scaled(0, calm.p99);

const healthy: Subscribed[] = [];
let calm: Durations;

test('while deliveries are stuck on a receiver that hangs, deliveries to others arrive as usual', async () => {
  while (healthy.length < HEALTHY_RECEIVERS) healthy.push(await anyReceiver(200));
  await streamTo(deliveries, healthy, 1000);
  calm = await streamTo(deliveries, healthy, scaled(10_000, 1000));
  const beforeMb = workerMb();
  const hanging = await anyStuck();
  let mostMb = beforeMb;
  const watch = setInterval(() => {
    mostMb = Math.max(mostMb, workerMb());
  }, 250);

  const stuck = await streamTo(deliveries, healthy, STREAM_MS).finally(() => clearInterval(watch));

  expect(addedDelayMs(stuck, calm)).toBeLessThan(PROMISED_P99_MS);
  // The receiver may hold a quarter of the permits; once it is unhealthy, two.
  expect(hanging.received.length).toBeGreaterThan(0);
  expect(hanging.received.length).toBeLessThan(2 * PERMITS);
  const attempts = (await rowsOf(service, 'deliveries', { subscriptionId: hanging.endpoint._id })).flatMap((row) =>
    row.attempts.filter(({ outcome }) => outcome !== 'started'),
  );
  expect(attempts.filter(({ error }) => error !== 'timeout')).toEqual([]);
  const slowestMs = Math.max(0, ...attempts.map(({ durationMs }) => durationMs ?? 0));
  expect(slowestMs).toBeLessThan(TIMEOUT_MS + CUT_LATE_MS);
  expect(mostMb - beforeMb).toBeLessThan(150);
  report({
    promise: 8,
    experiment: `a receiver that never responds, ${PERMITS} permits, a deadline of ${TIMEOUT_MS / 1000} s`,
    count: `${STUCK} stuck deliveries, ${HEALTHY_RECEIVERS} other receivers`,
    result: `the others received ${describeArrivals(stuck)}; before, without stuck deliveries, ${describeArrivals(calm)}; slowest stuck attempt ${slowestMs} ms; memory ${beforeMb} MB before, ${mostMb} MB at most, ${workerMb()} MB after`,
  });
}, 200_000);

test('control: without permits, others wait until stuck deliveries time out', async () => {
  await killProcess(worker);
  const sender = createWebhookSender({ timeoutMs: TIMEOUT_MS, allowPrivateNetworks: true });
  const permit = { beginSend: () => true, release: () => undefined };
  const deps = { ...service.context, sender, permits: { isBusy: () => false, acquire: () => Promise.resolve(permit) } };
  await anyStuck();
  const unguarded = new Worker(
    'webhook-delivery',
    async ({ data }, _token, signal = new AbortController().signal) => {
      const work = webhookWorkIn(data);
      if ('deliveryId' in work) await retryDelivery(deps, { ...work, signal });
    },
    {
      connection: { url: service.environment['REDIS_URL'] ?? '' },
      prefix: service.environment['QUEUE_PREFIX'] ?? '',
      concurrency: PERMITS,
    },
  );
  try {
    const stuck = await streamTo(deliveries, healthy, 1000);
    expect(addedDelayMs(stuck, calm)).toBeGreaterThan(PROMISED_P99_MS);
  } finally {
    const closed = unguarded.close();
    unguarded.cancelAllJobs();
    await closed;
    await sender.close();
  }
}, 100_000);
