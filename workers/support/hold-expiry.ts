import { DelayedError } from 'bullmq';
import { openArchive } from '../../src/operations/retention/archive.ts';
import type { PurgePosition } from '../../src/operations/retention/purge.service.ts';
import { purgeNext } from '../../src/operations/retention/purge.service.ts';
import type { DuePosition } from '../../src/platform/backlog.store.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { startSweep } from '../../src/platform/sweep.ts';
import type { ConfigOf } from '../../src/process/config/config.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';
import type { HoldExpiryJob } from '../../src/queues/jobs.ts';
import { holdIdsOf } from '../../src/queues/jobs.ts';
import { expireDueHolds, sweepLapsedHolds } from '../../src/reservations/reservations.service.ts';
import { startContext } from './start-context.ts';
import { startWorker } from './start-worker.ts';

/** Jobs in hand; most are for several holds, which end by one update. */
const CONCURRENCY = 50;
const SWEEP_EVERY_MS = 3000;
const SWEEP_PAGE = 500;
const PURGE_EVERY_MS = 600_000;

/**
 * Ends holds when they lapse: delayed jobs for promptness, a sweep of MongoDB as the guarantee. Purges what has been kept for as long as
 * it has to be: it is the worker with the least to do.
 */
export async function startHoldExpiry(
  scope: ProcessScope<ConfigOf<'hold-expiry'>>,
): Promise<Record<string, unknown>> {
  const context = await startContext(scope);
  startWorker<HoldExpiryJob>(
    scope,
    context.queues,
    'hold-expiry',
    { concurrency: CONCURRENCY },
    async (job, token) => {
      const { leftMs, failures } = await expireDueHolds(context, holdIdsOf(job.data));
      for (const err of failures.values()) throw err;
      if (leftMs.length === 0) return;
      // By the host's clock: BullMQ compares it with that.
      await job.moveToDelayed(systemClock.now().getTime() + Math.min(...leftMs), token);
      throw new DelayedError();
    },
  );
  startSweep<DuePosition>(scope, context.db, {
    name: 'lapsed-holds',
    everyMs: SWEEP_EVERY_MS,
    run: (stopping, from) =>
      sweepLapsedHolds(context, { graceMs: SWEEP_EVERY_MS, limit: SWEEP_PAGE, from, stopping }),
  });
  const { archiveUrl } = scope.config;
  const purging = {
    ...context,
    archive: archiveUrl === undefined ? undefined : openArchive(archiveUrl, scope.config),
  };
  startSweep<PurgePosition>(scope, context.db, {
    name: 'retention',
    everyMs: PURGE_EVERY_MS,
    run: (stopping, from) => purgeNext(purging, stopping, from),
  });
  return {};
}
