import { addMissingJobs } from '../../src/webhooks/deliveries/create-deliveries.service.ts';
import {
  clearDeadLetterQueue,
  raiseForgottenDeadLetters,
} from '../../src/webhooks/deliveries/dead-letter-queue.service.ts';
import { anyDeadDelivery } from '../queues/any-jobs.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** Adds missing jobs of deliveries that have been due for 5 s, page by page; returns the number of jobs per page. */
export async function sweep(context: Context, pageSize: number): Promise<number[]> {
  const bounds = { graceMs: 5000, limit: pageSize, stopping: new AbortController().signal };
  const counts: number[] = [];
  for (let afterId: string | undefined = ''; afterId !== undefined; ) {
    const page = await addMissingJobs(context, { ...bounds, afterId });
    counts.push(page.count);
    afterId = page.next;
  }
  return counts;
}

/** Raises the dead letters that no worker has raised; returns the number raised. */
export function raiseForgotten(context: Context, rejectsAll = false): Promise<number> {
  const rejectingQueues = { ...context.queues, addDeadLetters: () => Promise.reject(new Error('rejected')) };
  const deps = rejectsAll ? { ...context, queues: rejectingQueues } : context;
  const stopping = new AbortController().signal;
  return raiseForgottenDeadLetters(deps, { graceMs: 0, limit: 10, stopping });
}

/** The ids of the deliveries in the dead-letter queue. */
export async function queuedDeadLetters({ queues }: Context): Promise<string[]> {
  const jobs = await queues.byName('dead-letter').getJobs(['waiting']);
  return jobs.map((job) => String(job.data['delivery_id']));
}

export async function addDeadLetters({ queues }: Context, deliveryIds: readonly string[]): Promise<void> {
  await queues.addDeadLetters(deliveryIds.map(anyDeadDelivery));
}

export async function removeDeadLetters({ queues }: Context, deliveryIds: readonly string[]): Promise<void> {
  await queues.removeDeadLetters(deliveryIds);
}

/** Removes from the dead-letter queue the jobs whose delivery is not a dead letter, in pages of four jobs. */
export function clearDeadLetters(context: Context): Promise<number> {
  const stopping = new AbortController().signal;
  return clearDeadLetterQueue(context, { limit: 4, startAt: 0, stopping });
}
