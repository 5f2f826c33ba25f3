import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import { type SweptPage, sweepEach } from '../../platform/sweep.ts';
import type { Queues } from '../../queues/queues.ts';
import { dueIn } from './create-deliveries.service.ts';
import type { DeliveryRow } from './deliveries.model.ts';
import { findOverdueDeliveries } from './deliveries.store.ts';
import { deliveryFields } from './log-fields.rules.ts';
import type { RetryConfig } from './retry-schedule.rules.ts';

type SweepDeps = { db: Db; log: Logger; queues: Pick<Queues, 'ensureDelivery'>; config: RetryConfig };

/**
 * Puts back the missing jobs of a page of deliveries that have been due for `graceMs` without a worker, after
 * `afterId`. The page does not begin again at deliveries that have jobs, such as the many of a failing endpoint, so
 * that they do not hide others. Without Redis there is no next page.
 */
export async function addMissingJobs(
  deps: SweepDeps,
  page: { graceMs: number; limit: number; afterId: string; stopping: AbortSignal },
): Promise<SweptPage<string>> {
  let isRedisThere = true;
  const ensure = async (row: DeliveryRow) => {
    const state = isRedisThere ? await deps.queues.ensureDelivery(dueIn(0, row, deps.config)) : 'unavailable';
    if (state === 'unavailable') isRedisThere = false;
    return Number(state === 'added');
  };
  const onError = (err: unknown, row: DeliveryRow) =>
    deps.log.error({ ...deliveryFields(row), err }, 'a delivery could not be queued again; the next sweep retries it');
  const rows = await findOverdueDeliveries(deps.db, page.graceMs, page.afterId, page.limit);
  const count = await sweepEach(rows, page.stopping, ensure, onError);
  return { count, next: rows.length === page.limit && isRedisThere ? rows.at(-1)?._id : undefined };
}
