import type { QueueName } from '../../src/queues/jobs.ts';
import { addMissingJobs } from '../../src/webhooks/deliveries/create-deliveries.service.ts';
import {
  clearDeadLetterQueue,
  raiseForgottenDeadLetters,
} from '../../src/webhooks/deliveries/dead-letter-queue.service.ts';
import { anyDeadDelivery } from '../queues/any-jobs.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** Puts back missing jobs of deliveries due for 5 s, in pages of `limit`; returns the number per page. */
export async function sweep(context: Context, limit: number): Promise<number[]> {
  const bounds = { graceMs: 5000, limit, stopping: new AbortController().signal };
  const counts: number[] = [];
  for (let afterId: string | undefined = ''; afterId !== undefined; ) {
    const page = await addMissingJobs(context, { ...bounds, afterId });
    counts.push(page.count);
    afterId = page.next;
  }
  return counts;
}

/** Raises the dead letters that dead workers did not raise, or fails to; returns how many it raised. */
export function raiseForgotten(context: Context, how: 'well' | 'in vain'): Promise<number> {
  const inVain = { ...context.queues, addDeadLetters: () => Promise.reject(new Error('refused')) };
  const deps = how === 'well' ? context : { ...context, queues: inVain };
  const stopping = new AbortController().signal;
  return raiseForgottenDeadLetters(deps, { graceMs: 0, limit: 10, stopping });
}

export async function empty({ queues }: Context, name: QueueName): Promise<void> {
  await queues.byName(name).obliterate({ force: true });
}

/** The ids of the deliveries in the dead-letter queue. */
export async function deadLetters({ queues }: Context): Promise<string[]> {
  const jobs = await queues.byName('dead-letter').getJobs(['waiting']);
  return jobs.map((job) => String(job.data['delivery_id']));
}

export async function addDeadLetters({ queues }: Context, deliveryIds: readonly string[]): Promise<void> {
  await queues.addDeadLetters(deliveryIds.map(anyDeadDelivery));
}

export async function removeDeadLetters({ queues }: Context, deliveryIds: readonly string[]): Promise<void> {
  await queues.removeDeadLetters(deliveryIds);
}

/** Removes deliveries from the dead-letter queue that are not dead letters, four jobs at a time. */
export function clear(context: Context): Promise<number> {
  const stopping = new AbortController().signal;
  return clearDeadLetterQueue(context, { limit: 4, from: 0, stopping });
}
