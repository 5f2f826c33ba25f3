import { DelayedError } from 'bullmq';
import { openArchive } from '../../src/operations/retention/archive.ts';
import { type PurgeRun, purgeNext } from '../../src/operations/retention/purge.service.ts';
import type { DuePosition } from '../../src/platform/backlog.store.ts';
import { batched } from '../../src/platform/batched.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { startSweep } from '../../src/platform/sweep.ts';
import type { ConfigOf } from '../../src/process/config/config.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';
import { holdIn } from '../../src/queues/job-data.ts';
import type { ReservationStatus } from '../../src/reservations/reservations.rules.ts';
import { expireDueHolds, sweepOverdueHolds } from '../../src/reservations/reservations.service.ts';
import { startContext } from './start-context.ts';
import { startWorker } from './start-worker.ts';

/** Concurrent jobs. Their holds expire in shared updates. */
const CONCURRENCY = 200;
const MAX_HOLDS_OF_UPDATE = 100;
const SWEEP_EVERY_MS = 3000;
const SWEEP_PAGE = 500;
const PURGE_EVERY_MS = 600_000;

/**
 * Expires holds: promptly by delayed jobs, and reliably by a sweep of MongoDB. Also purges rows past their retention,
 * because this worker has the least to do.
 */
export async function startHoldExpiry(scope: ProcessScope<ConfigOf<'hold-expiry'>>): Promise<Record<string, unknown>> {
  const context = await startContext(scope);
  const expire = batched((holdIds: readonly string[]) => expireDueHolds(context, holdIds), MAX_HOLDS_OF_UPDATE);
  startWorker(scope, context.queues, 'hold-expiry', { concurrency: CONCURRENCY }, async (job, token) => {
    const { holdId, expiresAt } = holdIn(job.data);
    const hold = await expire(holdId);
    if (hold === null) return { skipped: 'gone' };
    if (hold.eventId !== null) return { expired: 1 };
    if (hold.status !== 'ACTIVE') return { skipped: SKIPPED[hold.status] };
    // The extended hold has a later job.
    if (expiresAt !== undefined && hold.expiresAt > expiresAt) return { skipped: 'extended' };
    // The job came early, because BullMQ uses the host's clock, which differs from the database's.
    await job.moveToDelayed(systemClock.now().getTime() + hold.leftMs, token);
    throw new DelayedError();
  });
  startSweep<DuePosition>(scope, context.db, {
    name: 'lapsed-holds',
    everyMs: SWEEP_EVERY_MS,
    run: (stopping, after) =>
      sweepOverdueHolds(context, { graceMs: SWEEP_EVERY_MS, limit: SWEEP_PAGE, after, stopping }),
  });
  const { archiveUrl } = scope.config;
  const archive = archiveUrl === undefined ? undefined : openArchive(archiveUrl, scope.config);
  startSweep<PurgeRun>(scope, context.db, {
    name: 'retention',
    everyMs: PURGE_EVERY_MS,
    run: (stopping, position) => purgeNext({ ...context, archive }, stopping, position),
  });
  return {};
}

/** Why a hold that has ended was not expired. */
const SKIPPED: Record<Exclude<ReservationStatus, 'ACTIVE'>, string> = {
  BOOKED: 'confirmed',
  CANCELLED: 'confirmed',
  REFUNDED: 'confirmed',
  RELEASED: 'released',
  DISPLACED: 'overridden by a walk-in',
  EXPIRED: 'expired before',
};
