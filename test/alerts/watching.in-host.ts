import { sweepAlerts } from '../../src/operations/alerts/alerts.service.ts';
import { createWorkerWatch, type WorkerWatch } from '../../src/operations/alerts/worker-watch.ts';
import { missingGuards } from '../../src/operations/database/collections.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

export type Looks = {
  /** The guards that the database is said to lack, or that this cannot be told; as it is, unless stated. */
  guards?: readonly string[] | 'unreadable';
  /** How many look at the same time. */
  atOnce?: number;
};

/** Looks of the watch, with the times that hold in production. */
export async function sweep(context: Context, { guards, atOnce = 1 }: Looks = {}): Promise<void> {
  const looks = Array.from({ length: atOnce }, () => sweepWith(context, createWorkerWatch(), guards));
  await Promise.all(looks);
}

/** One look, which knows of the workers what an earlier one of this watch has seen. */
export async function sweepWith(context: Context, workers: WorkerWatch, guards?: Looks['guards']): Promise<void> {
  const lacks = () => {
    if (guards === 'unreadable') return Promise.reject(new Error('not to be read'));
    return guards === undefined ? missingGuards(context.db) : Promise.resolve([...guards]);
  };
  const deps = { ...context, missingGuards: lacks, workers };
  await sweepAlerts(deps, new AbortController().signal);
}

/** Looks until every dead letter is counted; one look has its time. */
export async function sweepAll(context: Context): Promise<void> {
  const deliveries = context.db.collection('deliveries');
  do await sweep(context);
  while ((await deliveries.findOne({ isUncounted: true })) !== null);
}
