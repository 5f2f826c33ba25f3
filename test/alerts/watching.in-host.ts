import { sweepAlerts } from '../../src/operations/alerts/alerts.service.ts';
import { createWorkerWatch, type WorkerWatch } from '../../src/operations/alerts/worker-watch.ts';
import { missingGuards } from '../../src/operations/database/collections.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

export type Looks = {
  /** The guards that the database is said to lack, or that this cannot be told; as it is, unless stated. */
  guards?: readonly string[] | 'unreadable';
  /** Whether Redis is said to have an append-only file; as it is, unless stated. */
  isRedisPersistent?: boolean | 'unknown';
  redisAllowVolatile?: boolean;
  /** How many look at the same time. */
  atOnce?: number;
};

/** Looks of the watch, with the times that hold in production. */
export async function sweep(context: Context, { atOnce = 1, ...looks }: Looks = {}): Promise<void> {
  await Promise.all(Array.from({ length: atOnce }, () => sweepWith(context, createWorkerWatch(), looks)));
}

/** One look, which knows of the workers what an earlier one of this watch has seen. */
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

/** Looks until every dead letter is counted; one look has its time. */
export async function sweepAll(context: Context): Promise<void> {
  const deliveries = context.db.collection('deliveries');
  do await sweep(context);
  while ((await deliveries.findOne({ isUncounted: true })) !== null);
}
