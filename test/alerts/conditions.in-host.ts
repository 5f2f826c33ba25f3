import { Worker } from 'bullmq';
import { noteConditions } from '../../src/operations/alerts/alerts.store.ts';
import { createWorkerWatch, type WorkerWatch } from '../../src/operations/alerts/worker-watch.ts';
import { eventually } from '../support/eventually.ts';
import type { Service } from '../support/service.ts';
import { sweepWith } from './watching.in-host.ts';

type Context = Service['context'];

const deliveries = ({ queues }: Context) => queues.byName('webhook-delivery');

type Watch = { workers: WorkerWatch; nowMs: number };

/** One watch for each service, which goes on from sweep to sweep, with a clock that the test advances. */
const watches = new WeakMap<Context, Watch>();

/** Advances the watch's clock by `ms` and sweeps again. */
export async function sweepAfter(context: Context, ms: number): Promise<void> {
  const watch: Watch = watches.get(context) ?? { workers: createWorkerWatch(() => watch.nowMs), nowMs: 0 };
  watches.set(context, watch);
  watch.nowMs += ms;
  await sweepWith(context, watch.workers);
}

const workers = new WeakMap<Context, Worker>();

/** Starts a worker for deliveries, and waits until the queue sees it. */
export async function startWorker(context: Context): Promise<void> {
  const { queuePrefix: prefix, redisUrl: url } = context.config;
  const worker = new Worker('webhook-delivery', async () => undefined, { connection: { url }, prefix });
  workers.set(context, worker);
  await eventually('the worker is seen', async () => (await deliveries(context).getWorkersCount()) === 1);
}

export async function stopWorker(context: Context): Promise<void> {
  await workers.get(context)?.close();
}

/** Notes one condition `count` times concurrently; returns how many of the calls raised it. */
export async function raiseConcurrently(context: Context, count: number): Promise<number> {
  const condition = {
    kind: 'hold_overdue' as const,
    subject: null,
    partnerId: null,
    count: 1,
    since: null,
    missingIndexes: [],
  };
  const raise = () => noteConditions(context.db, [condition]);
  return (await Promise.all(Array.from({ length: count }, raise))).flat().length;
}
