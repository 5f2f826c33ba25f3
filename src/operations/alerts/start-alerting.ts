import type { Db } from '../../platform/mongo.ts';
import { startSweep } from '../../platform/sweep.ts';
import { noteZoneData } from '../../platform/zone-data.ts';
import type { WorkerContext } from '../../process/context.ts';
import type { ProcessScope } from '../../process/lifecycle.ts';
import { createAlertPost, postAlerts } from './alert-post.service.ts';
import { sweepAlerts } from './alerts.service.ts';
import { createWorkerWatch } from './worker-watch.ts';

const EVERY_MS = 5000;

/**
 * Checks the conditions of alerts until the process stops. Every API process does this, because any other may be dead;
 * a lock lets one check at a time. Posting is a separate sweep, which does not delay the checks (ADR 0020). Also logs
 * the version of this process's time zone data, and sets its metric.
 */
export function startAlerting(
  scope: Pick<ProcessScope, 'log' | 'stopping' | 'onStop' | 'progress'>,
  { db, log, config, queues }: WorkerContext,
  missingGuards: (db: Db) => Promise<string[]>,
): void {
  noteZoneData({ db, log }).catch((err: Error) => {
    if (!scope.stopping.aborted) log.warn({ error: err.message }, 'the newest time zone data could not be read');
  });
  const deps = { db, log, config, queues, missingGuards: () => missingGuards(db), workers: createWorkerWatch() };
  const sweep = (name: string, work: (stopping: AbortSignal) => Promise<void>): void =>
    startSweep(scope, db, { name, everyMs: EVERY_MS, run: (stopping) => work(stopping).then(() => ({ count: 0 })) });
  sweep('alerts', (stopping) => sweepAlerts(deps, stopping));
  if (config.alertUrl !== undefined) {
    const post = createAlertPost(config.alertUrl);
    sweep('alert-posts', (stopping) => postAlerts({ db, log, config, post }, stopping));
  }
}
