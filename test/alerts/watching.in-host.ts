import { sweepAlerts } from '../../src/operations/alerts/alerts.service.ts';
import { createWorkerWatch, type WorkerWatch } from '../../src/operations/alerts/worker-watch.ts';
import { missingGuards } from '../../src/operations/database/collections.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

export type Looks = {
  /** The guards that the database appears to lack, or that they cannot be read. Default: its real state. */
  guards?: readonly string[] | 'unreadable';
  /** Whether Redis appears to have an append-only file. Default: its real state. */
  isRedisPersistent?: boolean | 'unknown';
  redisAllowVolatile?: boolean;
  /** The number of concurrent sweeps. */
  atOnce?: number;
};

/** Sweeps with the periods of production. */
export async function sweep(context: Context, { atOnce = 1, ...looks }: Looks = {}): Promise<void> {
  await Promise.all(Array.from({ length: atOnce }, () => sweepWith(context, createWorkerWatch(), looks)));
}

/** Sweeps once. `workers` remembers the workers that earlier sweeps saw. */
export async function sweepWith(
  context: Context,
  workers: WorkerWatch,
  { guards, isRedisPersistent, redisAllowVolatile = false }: Omit<Looks, 'atOnce'> = {},
): Promise<void> {
  const lacks = () => {
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
    missingGuards: lacks,
    workers,
  };
  await sweepAlerts(deps, new AbortController().signal);
}

/** Sweeps until every dead letter is counted: one sweep has limited time. */
export async function sweepAll(context: Context): Promise<void> {
  const deliveries = context.db.collection('deliveries');
  do await sweep(context);
  while ((await deliveries.findOne({ isUncounted: true })) !== null);
}
