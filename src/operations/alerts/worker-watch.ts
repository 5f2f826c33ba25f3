import type { WorkedQueue } from '../../queues/jobs.ts';
import type { QueueState } from '../../queues/queues.ts';

export type WorkerWatch = ReturnType<typeof createWorkerWatch>;

/** A state older than this is useless, because another process has watched meanwhile. */
const FORGOTTEN_AFTER_MS = 30_000;

/**
 * Remembers since when each queue has had no workers, because Redis only knows the current connections. A new watch
 * remembers nothing, so that processes have time to start. `nowMs` must be monotonic.
 */
export function createWorkerWatch(nowMs: () => number = () => performance.now()) {
  let idleSince = new Map<WorkedQueue, number>();
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    /** The queues without a worker for at least `forMs`, according to the states read. */
    absent(states: readonly QueueState[], forMs: number): WorkedQueue[] {
      const now = nowMs();
      const idleBefore = now - readAt > FORGOTTEN_AFTER_MS ? new Map<WorkedQueue, number>() : idleSince;
      const idle = states.filter(({ workers }) => workers === 0);
      idleSince = new Map(idle.map(({ name }) => [name, idleBefore.get(name) ?? now]));
      readAt = now;
      return [...idleSince].filter(([, at]) => now - at >= forMs).map(([name]) => name);
    },
  };
}
