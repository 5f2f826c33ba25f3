import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import type { SweptPage } from '../../platform/sweep.ts';
import { sweepEach } from '../../platform/sweep.ts';
import type { Queues } from '../../queues/queues.ts';
import { dueIn } from './create-deliveries.service.ts';
import type { DeliveryRow } from './deliveries.model.ts';
import { findOverdueDeliveries } from './deliveries.store.ts';
import { deliveryFields } from './log-fields.rules.ts';
import type { RetryConfig } from './retry-schedule.rules.ts';

export type SweepDeps = {
  db: Db;
  log: Logger;
  queues: Pick<Queues, 'ensureDelivery' | 'addDeadLetters'>;
  config: RetryConfig;
};

/**
 * Puts back the jobs of a page of deliveries that have been due for `graceMs` without anyone working on them, those after
 * `afterId`: their job was lost with Redis or never taken by it. Those whose jobs are there, such as the many of an endpoint
 * that fails, do not hide the others behind them. Without Redis there is no next page.
 */
export async function rearmOverdueDeliveries(
  deps: SweepDeps,
  {
    graceMs,
    limit,
    afterId,
    stopping,
  }: { graceMs: number; limit: number; afterId: string; stopping: AbortSignal },
): Promise<SweptPage<string>> {
  let isRedisThere = true;
  const ensure = async (row: DeliveryRow) => {
    const state = isRedisThere ? await deps.queues.ensureDelivery(dueIn(0, row, deps.config)) : 'unavailable';
    if (state === 'unavailable') isRedisThere = false;
    return Number(state === 'added');
  };
  const onError = (err: unknown, row: DeliveryRow) =>
    deps.log.error(
      { ...deliveryFields(row), err },
      'a delivery could not be queued again; the next sweep retries it',
    );
  const page = await findOverdueDeliveries(deps.db, graceMs, afterId, limit);
  const count = await sweepEach(page, stopping, ensure, onError);
  return { count, next: page.length === limit && isRedisThere ? page.at(-1)?._id : undefined };
}
