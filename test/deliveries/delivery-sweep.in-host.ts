import { Worker } from 'bullmq';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import type { QueueName } from '../../src/queues/jobs.ts';
import { addMissingJobs } from '../../src/webhooks/deliveries/create-deliveries.service.ts';
import {
  clearDeadLetterQueue,
  raiseForgottenDeadLetters,
} from '../../src/webhooks/deliveries/dead-letter-queue.service.ts';
import type { AttemptResult } from '../../src/webhooks/deliveries/retry-delivery.service.ts';
import { retryDelivery } from '../../src/webhooks/deliveries/retry-delivery.service.ts';
import { createSendPermits } from '../../src/webhooks/sender/send-permits.ts';
import { anyDeadDelivery } from '../queues/any-jobs.ts';
import { eventually } from '../support/eventually.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** Puts the jobs back of what has been due for 5 s, in pages of `limit`; returns how many were put back of each. */
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

/** A page of the sweep of which nothing can be put back; returns how many were. */
export async function sweepInVain(context: Context): Promise<number> {
  const queues = { ...context.queues, ensureDelivery: () => Promise.reject(new Error('refused')) };
  const page = { graceMs: 5000, limit: 100, afterId: '', stopping: new AbortController().signal };
  return (await addMissingJobs({ ...context, queues }, page)).count;
}

/** Raises the dead letters of which nobody was told, or fails to; returns how many it raised. */
export function raiseForgotten(context: Context, how: 'well' | 'in vain'): Promise<number> {
  const inVain = { ...context.queues, addDeadLetters: () => Promise.reject(new Error('refused')) };
  const deps = how === 'well' ? context : { ...context, queues: inVain };
  const stopping = new AbortController().signal;
  return raiseForgottenDeadLetters(deps, { graceMs: 0, limit: 10, stopping });
}

export async function empty({ queues }: Context, name: QueueName): Promise<void> {
  await queues.byName(name).obliterate({ force: true });
}

/**
 * Starts a worker on the paused queue of deliveries, resumes the queue once the worker is there, and goes on until `count` jobs are taken.
 * Returns how many were taken and active before the queue was resumed, and the deliveries of those that were taken at the end.
 */
export async function takeWhenResumed(
  { config, queues }: Context,
  count: number,
): Promise<{ whilePaused: number[]; taken: string[] }> {
  const queue = queues.byName('webhook-delivery');
  const taken: string[] = [];
  const worker = new Worker('webhook-delivery', async (job) => void taken.push(job.data.delivery_id), {
    connection: { url: config.redisUrl },
    prefix: config.queuePrefix,
  });
  try {
    await eventually('the worker is there', async () => (await queue.getWorkersCount()) === 1);
    const whilePaused = [taken.length, await queue.getActiveCount()];
    await queue.resume();
    await eventually('all are taken', () => taken.length >= count);
    return { whilePaused, taken };
  } finally {
    await worker.close();
  }
}

/** The deliveries in the dead-letter queue. */
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

/** Clears the dead-letter queue of what is no dead letter, four jobs at a time. */
export function clear(context: Context): Promise<number> {
  const stopping = new AbortController().signal;
  return clearDeadLetterQueue(context, { limit: 4, from: 0, stopping });
}

/** An attempt by a worker that has another key. */
export function attemptWithoutKey(
  context: Context,
  deliveryId: string,
  subscriptionId: string,
): Promise<AttemptResult> {
  const deps = {
    ...context,
    secretBox: createSecretBox([Buffer.alloc(32, 99)]),
    sender: { send: () => Promise.reject(new Error('nothing may be sent')) },
    permits: createSendPermits(10, 2),
  };
  return retryDelivery(deps, {
    deliveryId,
    subscriptionId,
    partnerId: 'p',
    generation: 1,
    isKnownDead: false,
    signal: new AbortController().signal,
  });
}
