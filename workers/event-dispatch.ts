import { createContext } from '../src/context.ts';
import { dispatchEvents, dispatchWaiting } from '../src/events/event-dispatch.service.ts';
import { runProcess } from '../src/platform/lifecycle.ts';
import type { EventDispatchJob } from '../src/platform/queues.ts';
import { startSweep, startWorker } from './support/start-worker.ts';

const SWEEP_EVERY_MS = 2000;
const SWEEP_LIMIT = 1000;

/** Takes events from the outboxes to the log and to the receivers' deliveries. */
runProcess('event-dispatch', async (scope) => {
  const context = createContext(scope);
  await context.connected;
  startWorker<EventDispatchJob>(scope, 'event-dispatch', { concurrency: 20 }, async (job) => {
    await dispatchEvents(context, job.data.reservationId);
  });
  startSweep(scope, context.db, {
    name: 'undispatched-events',
    everyMs: SWEEP_EVERY_MS,
    run: (stopping) => dispatchWaiting(context, { graceMs: SWEEP_EVERY_MS, limit: SWEEP_LIMIT, stopping }),
  });
  return {};
});
