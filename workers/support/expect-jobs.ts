import type { Worker } from 'bullmq';
import type { ProcessScope } from '../../src/process/lifecycle.ts';
import type { Queues, WorkedQueue } from '../../src/queues/queues.ts';

/** How long jobs may wait while none begins or ends, and how often to look whether any waits. */
const TIMES = {
  /** Longer than any attempt of a delivery takes: WEBHOOK_TIMEOUT_MS is a minute at most. */
  mayWaitMs: 120_000,
  everyMs: 10_000,
};

/**
 * Expects of a worker that it works while jobs wait. That its queue is paused, or Redis out of reach, is no stall: a restart mends
 * neither.
 */
export function expectJobs<Job>(
  { progress, stopping }: Pick<ProcessScope, 'progress' | 'stopping'>,
  queues: Pick<Queues, 'countWaiting'>,
  name: WorkedQueue,
  worker: Worker<Job, void>,
  times = TIMES,
): void {
  const { beat } = progress.expect(`jobs of ${name}`, times.mayWaitMs);
  worker.on('active', beat);
  worker.on('completed', beat);
  worker.on('failed', beat);
  const look = async (): Promise<void> => {
    const waiting = await queues.countWaiting(name);
    if (waiting === undefined || waiting === 0) beat();
  };
  const looking = setInterval(() => void look(), times.everyMs);
  stopping.addEventListener('abort', () => clearInterval(looking), { once: true });
}
