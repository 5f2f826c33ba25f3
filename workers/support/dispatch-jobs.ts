import { setTimeout as delay } from 'node:timers/promises';
import type { Dispatched } from '../../src/webhooks/dispatch/dispatch-events.service.ts';

/** How many reservations are dispatched together; one job may be for as many. */
const MAX_BATCH = 100;
/** How many batches are under way at a time: each waits for several writes. */
const MAX_UNDER_WAY = 4;
/** How long a batch waits for its first attempts to begin, so that no more wait in memory than endpoints take. */
const PATIENCE_MS = 100;

type Waiting = { ids: readonly string[]; resolve: () => void; reject: (err: Error) => void };

export type JobDispatcher = {
  /** Resolves when the events of these reservations are logged and their first attempts have begun, or were left to jobs. */
  dispatch(reservationIds: readonly string[]): Promise<void>;
  /** The reservations that `dispatch` was asked for and has not dispatched yet. */
  inHand: ReadonlySet<string>;
};

/** Dispatches the jobs that wait together, batch after batch; where one of its reservations fails, so does a job. */
export function createJobDispatcher(
  dispatchBatch: (reservationIds: readonly string[]) => Promise<Dispatched>,
): JobDispatcher {
  const waiting: Waiting[] = [];
  const inHand = new Set<string>();
  let underWay = 0;

  const takeBatch = (): Waiting[] => {
    let size = 0;
    const end = waiting.findIndex(({ ids }) => {
      size += ids.length;
      return size > MAX_BATCH;
    });
    return waiting.splice(0, end === -1 ? waiting.length : Math.max(1, end));
  };
  const dispatchJobs = async (jobs: readonly Waiting[]): Promise<void> => {
    const batch = jobs.flatMap(({ ids }) => ids);
    try {
      const { failures, begun } = await dispatchBatch(batch).finally(() => {
        for (const id of batch) inHand.delete(id);
      });
      for (const { ids, resolve, reject } of jobs) {
        const failed = ids.find((id) => failures.has(id));
        if (failed === undefined) begun.then(resolve, reject);
        else reject(failures.get(failed) as Error);
      }
      await Promise.race([begun, delay(PATIENCE_MS, undefined, { ref: false })]);
    } catch (err) {
      for (const { reject } of jobs) reject(err as Error);
    }
  };
  const run = async (): Promise<void> => {
    underWay += 1;
    while (waiting.length > 0) await dispatchJobs(takeBatch());
    underWay -= 1;
  };

  return {
    inHand,
    dispatch: (ids) =>
      new Promise((resolve, reject) => {
        waiting.push({ ids, resolve, reject });
        for (const id of ids) inHand.add(id);
        if (underWay < MAX_UNDER_WAY) void run();
      }),
  };
}
