import { sweepAlerts } from '../../src/operations/alerts/alerts.service.ts';
import { createWorkerWatch, type WorkerWatch } from '../../src/operations/alerts/worker-watch.ts';
import { missingGuards } from '../../src/operations/database/collections.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** What a sweep sees instead of the real state, and how many sweeps run. */
export type SweepOptions = {
  /** The guard indexes that appear to be missing; `unreadable`: reading them fails. Default: the real state. */
  guards?: readonly string[] | 'unreadable';
  /** Whether Redis appears to have an append-only file. Default: the real state. */
  isRedisPersistent?: boolean | 'unknown';
  redisAllowVolatile?: boolean;
  /** The number of concurrent sweeps. */
  concurrency?: number;
};

/** Sweeps with the periods of production. */
export async function sweep(context: Context, { concurrency = 1, ...seen }: SweepOptions = {}): Promise<void> {
  await Promise.all(Array.from({ length: concurrency }, () => sweepWith(context, createWorkerWatch(), seen)));
}

/** Sweeps once. `workers` remembers the workers that earlier sweeps saw. */
export async function sweepWith(
  context: Context,
  workers: WorkerWatch,
  { guards, isRedisPersistent, redisAllowVolatile = false }: Omit<SweepOptions, 'concurrency'> = {},
): Promise<void> {
  const findMissingGuards = () => {
    if (guards === 'unreadable') return Promise.reject(new Error('not to be read'));
    return guards === undefined ? missingGuards(context.db) : Promise.resolve([...guards]);
  };
  const readServers: Context['queues']['readServers'] = async () => {
    const servers = await context.queues.readServers();
    if (servers === undefined || isRedisPersistent === undefined) return servers;
    return { ...servers, isPersistent: isRedisPersistent === 'unknown' ? undefined : isRedisPersistent };
  };
  const deps = {
    ...context,
    config: { redisAllowVolatile },
    queues: { ...context.queues, readServers },
    missingGuards: findMissingGuards,
    workers,
  };
  await sweepAlerts(deps, new AbortController().signal);
}

/** Sweeps until every dead letter is counted, because one sweep has limited time. */
export async function sweepAll(context: Context): Promise<void> {
  const deliveries = context.db.collection('deliveries');
  do await sweep(context);
  while ((await deliveries.findOne({ isUncounted: true })) !== null);
}
