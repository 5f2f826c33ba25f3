import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import { type SweptPage, sweepEach } from '../../platform/sweep.ts';
import type { Queues } from '../../queues/queues.ts';
import type { DeliveryRow } from './deliveries.model.ts';
import { findOverdueDeliveries } from './deliveries.store.ts';
import { dueIn, findJobFacts } from './delivery-jobs.service.ts';
import { deliveryFields } from './log-fields.rules.ts';
import type { RetryConfig } from './retry-schedule.rules.ts';

type SweepDeps = { db: Db; log: Logger; queues: Pick<Queues, 'ensureDelivery'>; config: RetryConfig };

/**
 * Puts back the missing jobs of a page of deliveries that have been due for `graceMs` without a worker, after
 * `afterId`. The next page begins after this one even if its deliveries have jobs, so that the many deliveries of a
 * failing endpoint do not hide others. Without Redis there is no next page.
 */
export async function addMissingJobs(
  deps: SweepDeps,
  page: { graceMs: number; limit: number; afterId: string; stopping: AbortSignal },
): Promise<SweptPage<string>> {
  const rows = await findOverdueDeliveries(deps.db, page.graceMs, page.afterId, page.limit);
  let isRedisThere = true;
  let facts: ReturnType<typeof findJobFacts> | undefined;
  const ensure = async (row: DeliveryRow) => {
    // Most rows have their job. If one is missing, read the facts for jobs once for the whole page.
    const toDue = async () => {
      facts ??= findJobFacts(deps.db, rows);
      return dueIn(0, row, (await facts)(row), deps.config);
    };
    const series = { deliveryId: row._id, generation: row.generation };
    const state = isRedisThere ? await deps.queues.ensureDelivery(series, toDue) : 'unavailable';
    if (state === 'unavailable') isRedisThere = false;
    return Number(state === 'added');
  };
  const onError = (err: unknown, row: DeliveryRow) =>
    deps.log.error({ ...deliveryFields(row), err }, 'a delivery could not be queued again; the next sweep retries it');
  const count = await sweepEach(rows, page.stopping, ensure, onError);
  return { count, next: rows.length === page.limit && isRedisThere ? rows.at(-1)?._id : undefined };
}
