import { giveUpOldRanges, shortenFeed } from '../../src/events/feed.service.ts';
import type { DuePosition } from '../../src/platform/backlog.store.ts';
import { startSweep } from '../../src/platform/sweep.ts';
import type { ConfigOf } from '../../src/process/config/config.ts';
import type { WorkerContext } from '../../src/process/context.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';
import { addMissingJobs } from '../../src/webhooks/deliveries/create-deliveries.service.ts';
import {
  clearDeadLetterQueue,
  raiseForgottenDeadLetters,
  restoreDeadLetterQueue,
} from '../../src/webhooks/deliveries/dead-letter-queue.service.ts';
import { type Deliver, dispatchWaiting } from '../../src/webhooks/deliveries/dispatch-events.service.ts';

const DISPATCH_EVERY_MS = 2000;
const DISPATCH_PAGE = 1000;
const OVERDUE_EVERY_MS = 3000;
const OVERDUE_GRACE_MS = 5000;
const OVERDUE_PAGE = 500;
/** Every twentieth sweep of deliveries compares the dead-letter queue with the rows. */
const RESTORE_EVERY_SWEEPS = 20;
const RESTORE_LIMIT = 10_000;

/**
 * Does the work of jobs that are missing because Redis lost or never accepted them, or a worker died.
 * `inProgressIds`: reservations that jobs of this process are dispatching.
 */
export function startWebhookSweeps(
  scope: ProcessScope<ConfigOf<'webhook-delivery'>>,
  context: WorkerContext<ConfigOf<'webhook-delivery'>>,
  { deliver, inProgressIds }: { deliver: Deliver; inProgressIds: ReadonlySet<string> },
): void {
  startSweep<DuePosition>(scope, context.db, {
    name: 'undispatched-events',
    everyMs: DISPATCH_EVERY_MS,
    run: async (stopping, after) => {
      const page = { graceMs: DISPATCH_EVERY_MS, limit: DISPATCH_PAGE, after, stopping, inProgressIds };
      // While the queue is paused nothing is sent: deliveries get jobs, which wait.
      const isPaused = await context.queues.isPaused('webhook-delivery');
      return dispatchWaiting(context, page, isPaused === true ? undefined : deliver);
    },
  });

  const housekeeping = [
    { name: 'open-number-ranges', everyMs: 2000, work: () => giveUpOldRanges(context) },
    { name: 'shorten-feed', everyMs: 600_000, work: () => shortenFeed(context) },
    { name: 'retired-queue', everyMs: 600_000, work: () => context.queues.removeRetired() },
  ];
  for (const { name, everyMs, work } of housekeeping) {
    const run = async () => {
      await work();
      return { count: 0 };
    };
    startSweep(scope, context.db, { name, everyMs, run });
  }

  let sweeps = 0;
  let clearedUpTo = 0;
  const beforeFirstPage = async (stopping: AbortSignal): Promise<number> => {
    if (sweeps++ % RESTORE_EVERY_SWEEPS === 0) {
      await restoreDeadLetterQueue(context, RESTORE_LIMIT);
      const page = { limit: OVERDUE_PAGE, startAt: clearedUpTo, stopping };
      clearedUpTo = await clearDeadLetterQueue(context, page);
    }
    const page = { graceMs: OVERDUE_GRACE_MS, limit: OVERDUE_PAGE, stopping };
    return raiseForgottenDeadLetters(context, page);
  };
  startSweep<string>(scope, context.db, {
    name: 'overdue-deliveries',
    everyMs: OVERDUE_EVERY_MS,
    run: async (stopping, afterId = '') => {
      const raised = afterId === '' ? await beforeFirstPage(stopping) : 0;
      const page = { graceMs: OVERDUE_GRACE_MS, limit: OVERDUE_PAGE, afterId, stopping };
      const { count, next } = await addMissingJobs(context, page);
      return { count: raised + count, next };
    },
  });
}
