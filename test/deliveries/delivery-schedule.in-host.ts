import type { Job } from 'bullmq';
import { makeDue } from '../../src/deliveries/delivery-series.store.ts';
import type { RetryJob } from '../../src/queues/jobs.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** What the queue knows of a delivery's job. */
export type QueuedJob = { state: string; delay: number };

export async function readJob(context: Context, jobId: string): Promise<QueuedJob> {
  const job = await jobOf(context, jobId);
  return { state: await job.getState(), delay: job.delay };
}

/** Makes the attempt for which the job waits due now, in row and queue. */
export async function bringForward(context: Context, jobId: string): Promise<void> {
  const job = await jobOf(context, jobId);
  await makeDue(context.db, job.data.deliveryId);
  await job.promote();
}

/** What waits in the dead-letter queue, of one delivery. */
export async function deadLettersOf({ queues }: Context, deliveryId: string): Promise<unknown[]> {
  const waiting: Job[] = await queues.byName('webhook-dead-letter').getJobs(['waiting']);
  return waiting
    .map((job): unknown => job.data)
    .filter((data) => (data as { deliveryId: unknown }).deliveryId === deliveryId);
}

async function jobOf({ queues }: Context, jobId: string): Promise<Job<RetryJob>> {
  const job: Job | undefined = await queues.byName('webhook-delivery').getJob(jobId);
  if (job === undefined) throw new Error(`There is no job ${jobId}`);
  return job;
}
