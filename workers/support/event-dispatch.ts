import type { ConfigOf } from '../../src/config/config.ts';
import { dispatchEvents, dispatchWaiting } from '../../src/dispatch/event-dispatch.service.ts';
import { giveUpOldRanges, sequenceForgottenEvents, shortenFeed } from '../../src/events/feed.service.ts';
import type { DuePosition } from '../../src/platform/backlog.store.ts';
import { startSweep } from '../../src/platform/sweep.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';
import type { EventDispatchJob } from '../../src/queues/jobs.ts';
import { reservationIdsOf } from '../../src/queues/jobs.ts';
import { startContext, startWorker, workOnEach } from './start-worker.ts';

/**
 * Jobs in hand, those of the batch that is under way and of the next: mostly of one reservation or a few, of 50 in a backlog. That is two
 * seconds of work, for which those that come after have less to do.
 */
const CONCURRENCY = 100;
const SWEEP_EVERY_MS = 2000;
const SWEEP_PAGE = 1000;
const SHORTEN_EVERY_MS = 600_000;

/** Takes events from the outboxes to the log, to the receivers' deliveries and to the feed. */
export async function startEventDispatch(
  scope: ProcessScope<ConfigOf<'event-dispatch'>>,
): Promise<Record<string, unknown>> {
  const context = await startContext(scope);
  startWorker<EventDispatchJob>(
    scope,
    context.queues,
    'event-dispatch',
    { concurrency: CONCURRENCY },
    async (job) => {
      await workOnEach(reservationIdsOf(job.data), (reservationId) => dispatchEvents(context, reservationId));
    },
  );
  startSweep<DuePosition>(scope, context.db, {
    name: 'undispatched-events',
    everyMs: SWEEP_EVERY_MS,
    run: (stopping, from) =>
      dispatchWaiting(context, { graceMs: SWEEP_EVERY_MS, limit: SWEEP_PAGE, from, stopping }),
  });
  startSweep(scope, context.db, {
    name: 'unsequenced-events',
    everyMs: SWEEP_EVERY_MS,
    run: async (stopping) => {
      await giveUpOldRanges(context);
      await sequenceForgottenEvents(context, stopping);
      // Uncounted: what it finds is nearly always a job that is about to do the same.
      return { count: 0 };
    },
  });
  startSweep(scope, context.db, {
    name: 'shorten-feed',
    everyMs: SHORTEN_EVERY_MS,
    run: async () => {
      await shortenFeed(context);
      return { count: 0 };
    },
  });
  return {};
}
