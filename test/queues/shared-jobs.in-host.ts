import { newId } from '../../src/platform/ids.ts';
import type { QueueName } from '../../src/queues/jobs.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** Adds a job that is due now, with this data as it is; returns its id. */
export async function addJob({ queues }: Context, name: QueueName, data: object, opts: object = {}): Promise<string> {
  const jobId = newId();
  await queues.byName(name).add('any', data, { ...opts, jobId });
  return jobId;
}

export const pause = ({ queues }: Context, name: QueueName): Promise<void> => queues.byName(name).pause();
export const resume = ({ queues }: Context, name: QueueName): Promise<void> => queues.byName(name).resume();

/** The state of a job, and how many milliseconds after it was added it is due. */
export async function jobOf({ queues }: Context, name: QueueName, jobId: string) {
  const job = await queues.byName(name).getJob(jobId);
  return { state: await job?.getState(), delayMs: job?.delay ?? 0, failedReason: job?.failedReason };
}
