import { WORKED_QUEUES } from '../../src/queues/queues.ts';
import { dumpRedis } from '../support/redis-dump.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

export function redisDump({ config }: Context): Promise<string> {
  return dumpRedis(config.redisUrl, config.queuePrefix);
}

/** What the data of jobs is called, of all queues from which workers take any. */
export async function keysOfJobs({ queues }: Context): Promise<string[]> {
  const jobs = await Promise.all(WORKED_QUEUES.map((name) => queues.byName(name).getJobs()));
  return [...new Set(jobs.flat().flatMap((job) => Object.keys(job.data as object)))];
}
