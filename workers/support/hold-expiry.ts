import { DelayedError } from 'bullmq';
import { openArchive } from '../../src/operations/retention/archive.ts';
import { type PurgeRun, purgeNext } from '../../src/operations/retention/purge.service.ts';
import type { DuePosition } from '../../src/platform/backlog.store.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { startSweep } from '../../src/platform/sweep.ts';
import type { ConfigOf } from '../../src/process/config/config.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';
import { type HoldExpiryJob, holdIdsOf } from '../../src/queues/jobs.ts';
import { expireDueHolds, sweepLapsedHolds } from '../../src/reservations/reservations.service.ts';
import { startContext } from './start-context.ts';
import { startWorker } from './start-worker.ts';

/** Concurrent jobs; most are for several holds, which expire in one update. */
const CONCURRENCY = 50;
const SWEEP_EVERY_MS = 3000;
const SWEEP_PAGE = 500;
const PURGE_EVERY_MS = 600_000;

/**
 * Expires holds: promptly by delayed jobs, and reliably by a sweep of MongoDB. Also purges rows past their retention,
 * because this worker has the least to do.
 */
export async function startHoldExpiry(scope: ProcessScope<ConfigOf<'hold-expiry'>>): Promise<Record<string, unknown>> {
  const context = await startContext(scope);
  startWorker<HoldExpiryJob>(scope, context.queues, 'hold-expiry', { concurrency: CONCURRENCY }, async (job, token) => {
    const { leftMs, failures } = await expireDueHolds(context, holdIdsOf(job.data));
    for (const err of failures.values()) throw err;
    if (leftMs.length === 0) return;
    // By the host's clock, which BullMQ compares it with.
    await job.moveToDelayed(systemClock.now().getTime() + Math.min(...leftMs), token);
    throw new DelayedError();
  });
  startSweep<DuePosition>(scope, context.db, {
    name: 'lapsed-holds',
    everyMs: SWEEP_EVERY_MS,
    run: (stopping, from) => sweepLapsedHolds(context, { graceMs: SWEEP_EVERY_MS, limit: SWEEP_PAGE, from, stopping }),
  });
  const { archiveUrl } = scope.config;
  const archive = archiveUrl === undefined ? undefined : openArchive(archiveUrl, scope.config);
  startSweep<PurgeRun>(scope, context.db, {
    name: 'retention',
    everyMs: PURGE_EVERY_MS,
    run: (stopping, from) => purgeNext({ ...context, archive }, stopping, from),
  });
  return {};
}
