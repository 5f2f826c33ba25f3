import { tellOfAlerts } from './alerts/alert-post.service.ts';
import { createAlertPost } from './alerts/alert-post.ts';
import { ALERT_TIMES, sweepAlerts } from './alerts/alerts.service.ts';
import { createWorkerWatch } from './alerts/worker-watch.ts';
import { missingGuards } from './collections.ts';
import type { WorkerContext } from './context.ts';
import type { ProcessScope } from './platform/lifecycle.ts';
import { keepSweeping } from './platform/sweep.ts';

const EVERY_MS = 5000;

/**
 * Keeps watch until the process stops. Every process does, so that a condition is noticed whichever other one is
 * dead; a lease in MongoDB lets one of them look at a time. Posting has a loop of its own: a slow ALERT_URL holds up neither the
 * watch nor anything else (ADR 0013).
 */
export function startAlerting(
  scope: Pick<ProcessScope, 'stopping' | 'onStop'>,
  { db, log, config, queues }: WorkerContext,
): void {
  const deps = { db, log, queues, missingGuards: () => missingGuards(db), workers: createWorkerWatch() };
  const sweep = (name: string, work: (stopping: AbortSignal) => Promise<void>): void => {
    const run = async (stopping: AbortSignal) => {
      await work(stopping);
      // Nothing that a job should have done.
      return { count: 0 };
    };
    const ended = keepSweeping(db, { name, everyMs: EVERY_MS, run }, log, scope.stopping);
    scope.onStop(`${name} sweep`, () => ended);
  };
  sweep('alerts', (stopping) => sweepAlerts(deps, ALERT_TIMES, stopping));
  if (config.alertUrl !== undefined) {
    const post = createAlertPost(config.alertUrl);
    sweep('alert-posts', (stopping) => tellOfAlerts({ db, log, config, post }, stopping));
  }
}
