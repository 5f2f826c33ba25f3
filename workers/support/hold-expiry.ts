import { DelayedError } from 'bullmq';
import type { ConfigOf } from '../../src/config/config.ts';
import type { DuePosition } from '../../src/platform/backlog.store.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { startSweep } from '../../src/platform/sweep.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';
import type { HoldExpiryJob } from '../../src/queues/jobs.ts';
import { holdIdsOf } from '../../src/queues/jobs.ts';
import { expireHold, sweepLapsedHolds } from '../../src/reservations/reservations.service.ts';
import { openArchive } from '../../src/retention/open-archive.ts';
import type { PurgePosition } from '../../src/retention/purge.service.ts';
import { purgeNext } from '../../src/retention/purge.service.ts';
import { startContext, startWorker, workOnEach } from './start-worker.ts';

/** Jobs in hand: those whose holds are in the batch that is under way, and those of the next. */
const CONCURRENCY = 200;
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
      const leftMs = await workOnEach(holdIdsOf(job.data), (holdId) => expireHold(context, holdId));
      const live = leftMs.filter((ms) => ms > 0);
      if (live.length === 0) return;
      // By the host's clock: BullMQ compares it with that.
      await job.moveToDelayed(systemClock.now().getTime() + Math.min(...live), token);
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
