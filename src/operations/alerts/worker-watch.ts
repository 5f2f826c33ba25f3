import type { QueueState, WorkedQueue } from '../../queues/queues.ts';

/** Remembers since when a queue has been without workers: Redis knows only who is connected now. */
export type WorkerWatch = {
  /** The queues that had no worker in any state that was read for at least `forMs`. */
  absent(states: readonly QueueState[], forMs: number): WorkedQueue[];
};

/** A state read longer ago says nothing about the time since: another process kept the watch meanwhile. */
const FORGOTTEN_AFTER_MS = 30_000;

/** A watch that has seen nothing yet, so that a fleet which is just starting is given time. `nowMs` must be monotonic. */
export function createWorkerWatch(nowMs: () => number = () => performance.now()): WorkerWatch {
  let since = new Map<WorkedQueue, number>();
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    absent(states, forMs) {
      const now = nowMs();
      const known = now - readAt > FORGOTTEN_AFTER_MS ? new Map<WorkedQueue, number>() : since;
      const idle = states.filter(({ workers }) => workers === 0);
      since = new Map(idle.map(({ name }) => [name, known.get(name) ?? now]));
      readAt = now;
      return [...since].filter(([, at]) => now - at >= forMs).map(([name]) => name);
    },
  };
}
