import { giveUpOldRanges, shortenFeed } from '../../src/events/feed.service.ts';
import type { DuePosition } from '../../src/platform/backlog.store.ts';
import { startSweep } from '../../src/platform/sweep.ts';
import type { ConfigOf } from '../../src/process/config/config.ts';
import type { WorkerContext } from '../../src/process/context.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';
import {
  clearDeadLetterQueue,
  raiseForgottenDeadLetters,
  restoreDeadLetterQueue,
} from '../../src/webhooks/deliveries/dead-letter-queue.service.ts';
import { rearmOverdueDeliveries } from '../../src/webhooks/deliveries/sweep-deliveries.service.ts';
import type { Deliver } from '../../src/webhooks/dispatch/dispatch-events.service.ts';
import { dispatchWaiting } from '../../src/webhooks/dispatch/dispatch-waiting.service.ts';

const DISPATCH_EVERY_MS = 2000;
const DISPATCH_PAGE = 1000;
const RANGES_EVERY_MS = 2000;
const SHORTEN_EVERY_MS = 600_000;
const RETIRED_EVERY_MS = 600_000;
const OVERDUE_EVERY_MS = 3000;
const OVERDUE_GRACE_MS = 5000;
const OVERDUE_PAGE = 500;
/** Every how many sweeps the dead-letter queue is compared with the rows. */
const RESTORE_EVERY_SWEEPS = 20;
const RESTORE_LIMIT = 10_000;

/**
 * What looks in MongoDB for what jobs have not done: jobs that Redis lost or never took, and workers that died. `inHand`: the
 * reservations whose events jobs of this process are about to dispatch.
 */
export function startWebhookSweeps(
  scope: ProcessScope<ConfigOf<'webhook-delivery'>>,
  context: WorkerContext<ConfigOf<'webhook-delivery'>>,
  { deliver, inHand }: { deliver: Deliver; inHand: ReadonlySet<string> },
): void {
  startSweep<DuePosition>(scope, context.db, {
    name: 'undispatched-events',
    everyMs: DISPATCH_EVERY_MS,
    run: async (stopping, from) => {
      const page = { graceMs: DISPATCH_EVERY_MS, limit: DISPATCH_PAGE, from, stopping, inHand };
      // A queue that is paused sends nothing: its deliveries get jobs, which wait.
      const isPaused = await context.queues.isPaused('webhook-delivery');
      return dispatchWaiting(context, page, isPaused === true ? undefined : deliver);
    },
  });
  startSweep(scope, context.db, {
    name: 'open-number-ranges',
    everyMs: RANGES_EVERY_MS,
    run: async () => {
      await giveUpOldRanges(context);
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
  startSweep(scope, context.db, {
    name: 'retired-queue',
    everyMs: RETIRED_EVERY_MS,
    run: async () => {
      await context.queues.removeRetired();
      return { count: 0 };
    },
  });

  let sweeps = 0;
  let clearedUpTo = 0;
  const beforeFirstPage = async (stopping: AbortSignal): Promise<number> => {
    if (sweeps++ % RESTORE_EVERY_SWEEPS === 0) {
      await restoreDeadLetterQueue(context, RESTORE_LIMIT);
      const page = { limit: OVERDUE_PAGE, from: clearedUpTo, stopping };
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
      const { count, next } = await rearmOverdueDeliveries(context, page);
      return { count: raised + count, next };
    },
  });
}
