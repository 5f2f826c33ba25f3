import { setTimeout as delay } from 'node:timers/promises';
import { Queue } from 'bullmq';
import DataLoader from 'dataloader';
import type { Logger } from '../platform/logger.ts';
import { closeRedis, createProducerRedis } from '../platform/redis.ts';
import type { NewJob } from './jobs.ts';

/** How long a call may wait for Redis. */
export const REDIS_TIMEOUT_MS = 500;

export type OpenQueues<Name extends string> = {
  byName: Record<Name, Queue>;
  /** What `work` returns; undefined where Redis is away, fails or takes longer than 500 ms. Never throws. */
  ask<T>(name: Name, work: (queue: Queue) => Promise<T>): Promise<T | undefined>;
  /** Adds jobs; resolves to whether Redis took them, as `ask`. Those offered to a queue in one turn of the event loop leave together. */
  offer(name: Name, jobs: readonly NewJob[]): Promise<boolean>;
  isReady(): boolean;
  close(): Promise<void>;
};

/** Connects queues to Redis in the background, over one connection; they can be asked before it is there. */
export function openQueues<Name extends string>(
  names: readonly Name[],
  { redisUrl, prefix }: { redisUrl: string; prefix: string },
  log: Logger,
): OpenQueues<Name> {
  const redis = createProducerRedis(redisUrl, log);
  const open = (name: Name) => {
    const queue = new Queue(name, {
      connection: redis,
      prefix,
      streams: { events: { maxLen: 2000 } },
      defaultJobOptions: { stackTraceLimit: 3 },
    });
    queue.on('error', (err) => log.debug({ queue: name, error: err.message }, 'queue connection error'));
    return queue;
  };
  const byName = Object.fromEntries(names.map((name) => [name, open(name)])) as Record<Name, Queue>;

  const ask: OpenQueues<Name>['ask'] = async (name, work) => {
    if (redis.status !== 'ready') return undefined;
    const deadline = new AbortController();
    try {
      return await Promise.race([
        work(byName[name]),
        delay(REDIS_TIMEOUT_MS, undefined, { signal: deadline.signal }),
      ]);
    } catch (err) {
      log.warn(
        { queue: name, error: (err as Error).message },
        'Redis did not respond; a sweep will do what it did not take',
      );
      return undefined;
    } finally {
      deadline.abort();
    }
  };
  const offers = new Map(
    names.map((name) => [name, sharedOffers((jobs) => ask(name, (queue) => queue.addBulk(jobs)))]),
  );

  return {
    byName,
    isReady: () => redis.status === 'ready',
    ask,
    offer: async (name, jobs) =>
      (await offers.get(name)?.loadMany(jobs))?.every((isTaken) => isTaken === true) ?? false,
    close: async () => {
      const queues: Queue[] = Object.values(byName);
      await Promise.all(queues.map((queue) => queue.close().catch(() => undefined)));
      await closeRedis(redis);
    },
  };
}

/** How many jobs leave together at most. */
const MAX_OFFERED = 500;

/** Gathers the jobs that are offered in one turn; each resolves to whether it was taken. */
function sharedOffers(add: (jobs: NewJob[]) => Promise<unknown>): DataLoader<NewJob, boolean> {
  return new DataLoader<NewJob, boolean>(
    async (jobs) => {
      const isTaken = (await add([...jobs])) !== undefined;
      return jobs.map(() => isTaken);
    },
    { cache: false, maxBatchSize: MAX_OFFERED },
  );
}
