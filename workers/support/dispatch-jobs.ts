import { setTimeout as delay } from 'node:timers/promises';
import { withTimeout } from '../../src/platform/deadline.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';
import type { SendDeps } from '../../src/webhooks/deliveries/attempt.service.ts';
import {
  type Deliver,
  type DispatchCount,
  type DispatchResult,
  dispatchEvents,
} from '../../src/webhooks/deliveries/dispatch-events.service.ts';
import { sendFirstAttempts } from '../../src/webhooks/deliveries/first-attempts.service.ts';
import { FINISH_TIMEOUT_MS } from './start-worker.ts';

/** The most reservations in a batch. */
const MAX_BATCH = 100;
/** How many batches run at once: a batch mostly waits for its writes. */
const MAX_RUNNING = 4;
/** How long the next batch waits for the last one's first attempts to begin, so that few of them are in memory. */
const PATIENCE_MS = 100;
/** A dispatch that takes longer counts as hanging: its jobs fail and are repeated, and the sweep finds its events. */
const DISPATCHED_WITHIN_MS = 60_000;

type WaitingJob = { ids: readonly string[]; resolve: (count: DispatchCount) => void; reject: (err: Error) => void };

/** Dispatches waiting jobs in batches. A job fails if the dispatch of one of its reservations fails. */
export function createJobDispatcher(dispatchBatch: (reservationIds: readonly string[]) => Promise<DispatchResult>) {
  const waiting: WaitingJob[] = [];
  const inProgressIds = new Set<string>();
  let running = 0;

  const takeBatch = (): WaitingJob[] => {
    let size = 0;
    const end = waiting.findIndex(({ ids }) => {
      size += ids.length;
      return size > MAX_BATCH;
    });
    return waiting.splice(0, end === -1 ? waiting.length : Math.max(1, end));
  };
  const dispatchJobs = async (jobs: readonly WaitingJob[]): Promise<void> => {
    const batch = jobs.flatMap(({ ids }) => ids);
    try {
      const { counts, failures, begun } = await dispatchBatch(batch).finally(() => {
        for (const id of batch) inProgressIds.delete(id);
      });
      for (const { ids, resolve, reject } of jobs) {
        const failed = ids.find((id) => failures.has(id));
        if (failed === undefined) begun.then(() => resolve(sumOf(ids, counts)), reject);
        else reject(failures.get(failed) as Error);
      }
      await Promise.race([begun, delay(PATIENCE_MS, undefined, { ref: false })]);
    } catch (err) {
      for (const { reject } of jobs) reject(err as Error);
    }
  };
  const run = async (): Promise<void> => {
    running += 1;
    while (waiting.length > 0) await dispatchJobs(takeBatch());
    running -= 1;
  };

  return {
    /** Reservations passed to `dispatch` and not yet dispatched. */
    inProgressIds: inProgressIds as ReadonlySet<string>,
    /**
     * Resolves when the events of these reservations are in `events`, and each first attempt has begun or is queued as
     * a job. Counts no events that another run dispatched.
     */
    dispatch: (ids: readonly string[]): Promise<DispatchCount> =>
      new Promise((resolve, reject) => {
        waiting.push({ ids, resolve, reject });
        for (const id of ids) inProgressIds.add(id);
        if (running < MAX_RUNNING) void run();
      }),
  };
}

function sumOf(ids: readonly string[], counts: DispatchResult['counts']): DispatchCount {
  const found = ids.flatMap((id) => counts.get(id) ?? []);
  return {
    events: found.reduce((sum, { events }) => sum + events, 0),
    deliveries: found.reduce((sum, { deliveries }) => sum + deliveries, 0),
  };
}

/**
 * Dispatches events and sends their first attempts in this process; at its stop, sends that take too long are
 * interrupted.
 */
export function startDispatching(scope: ProcessScope<unknown>, deps: SendDeps) {
  const sending = new Set<Promise<unknown>>();
  const interrupt = new AbortController();
  const interruptLater = () => void setTimeout(() => interrupt.abort(), FINISH_TIMEOUT_MS).unref();
  scope.stopping.addEventListener('abort', interruptLater, { once: true });
  scope.onStop('first attempts', async () => {
    while (sending.size > 0) await Promise.all(sending);
  });
  const deliver: Deliver = async (wanted, readAtMs) => {
    const first = await sendFirstAttempts(deps, wanted, readAtMs, interrupt.signal);
    const sent = first.sent.finally(() => sending.delete(sent));
    sending.add(sent);
    return first;
  };
  const dispatcher = createJobDispatcher((ids) =>
    withTimeout(DISPATCHED_WITHIN_MS, () => dispatchEvents(deps, ids, deliver)),
  );
  return { ...dispatcher, deliver };
}
