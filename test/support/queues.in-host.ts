import { newId } from '../../src/platform/ids.ts';
import type { QueueName } from '../../src/queues/jobs.ts';
import type { Service } from './service.ts';

type Context = Service['context'];

export const pauseQueue = ({ queues }: Context, name: QueueName): Promise<void> => queues.byName(name).pause();

export const resumeQueue = ({ queues }: Context, name: QueueName): Promise<void> => queues.byName(name).resume();

/** Adds a job that is due now, with `data` unchanged; returns its id. */
export async function addJob({ queues }: Context, name: QueueName, data: object, opts: object = {}): Promise<string> {
  const jobId = newId();
  await queues.byName(name).add('any', data, { ...opts, jobId });
  return jobId;
}
