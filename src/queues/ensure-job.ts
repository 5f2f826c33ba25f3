import { setTimeout as delay } from 'node:timers/promises';
import type { Job, Queue } from 'bullmq';
import type { NewJob } from './jobs.ts';
import { REDIS_TIMEOUT_MS } from './open-queues.ts';

export const addJob = (queue: Queue, { name, data, opts }: NewJob) => queue.add(name, data, opts);

/** Longer than a lack of permits defers a job. If the job of a due row waits longer, a wrong clock has delayed it. */
const MAX_DEFERRAL_MS = 10_000;

/** Adds the job if it is missing or finished. A job that a wrong clock has delayed too long becomes due. */
export async function ensureJob(
  queue: Queue,
  jobId: string,
  toJob: () => Promise<NewJob>,
): Promise<'added' | 'present'> {
  const existing = await queue.getJob(jobId);
  const state = await existing?.getState();
  if (existing !== undefined && state !== 'completed' && state !== 'failed' && state !== 'unknown') {
    if (state === 'delayed' && leftMs(existing) > MAX_DEFERRAL_MS) await existing.promote();
    return 'present';
  }
  await existing?.remove();
  await addJob(queue, await toJob());
  return 'added';
}

/** The remaining delay by this host's clock. A wrong clock can make the remaining delay exceed the job's delay. */
function leftMs({ delay: delayMs, processedOn, timestamp }: Job): number {
  return (processedOn ?? timestamp) + delayMs - Date.now();
}

/** Makes a delayed job due; waits for a running attempt, within the time limit of `ask`. */
export async function promoteJob(queue: Queue, jobId: string): Promise<boolean> {
  for (const endsAt = performance.now() + REDIS_TIMEOUT_MS - 100; performance.now() < endsAt; ) {
    const job = await queue.getJob(jobId);
    const state = await job?.getState();
    if (state === 'delayed') {
      await job?.promote();
      return true;
    }
    if (state !== 'active') return false;
    await delay(20);
  }
  return false;
}
