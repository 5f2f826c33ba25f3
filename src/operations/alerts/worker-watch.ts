import type { WorkedQueue } from '../../queues/jobs.ts';
import type { QueueState } from '../../queues/queues.ts';

export type WorkerWatch = ReturnType<typeof createWorkerWatch>;

/** An older state is useless: another process watched meanwhile. */
const FORGOTTEN_AFTER_MS = 30_000;

/**
 * Remembers since when a queue has been without workers, because Redis only knows the current connections. A new watch
 * starts counting anew, so that processes have time to start. `nowMs` must be monotonic.
 */
export function createWorkerWatch(nowMs: () => number = () => performance.now()) {
  let since = new Map<WorkedQueue, number>();
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    /** The queues that had no worker in any state read for at least `forMs`. */
    absent(states: readonly QueueState[], forMs: number): WorkedQueue[] {
      const now = nowMs();
      const known = now - readAt > FORGOTTEN_AFTER_MS ? new Map<WorkedQueue, number>() : since;
      const idle = states.filter(({ workers }) => workers === 0);
      since = new Map(idle.map(({ name }) => [name, known.get(name) ?? now]));
      readAt = now;
      return [...since].filter(([, at]) => now - at >= forMs).map(([name]) => name);
    },
  };
}
