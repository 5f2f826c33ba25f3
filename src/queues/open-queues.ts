import { setTimeout as delay } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { batched } from '../platform/batched.ts';
import { withDeadline } from '../platform/deadline.ts';
import type { Logger } from '../platform/logger.ts';
import { closeRedis, connectedInfos, createProducerRedis, WRITE_REFUSALS } from '../platform/redis.ts';
import type { NewJob } from './jobs.ts';

/** How long a call may wait for Redis. */
export const REDIS_TIMEOUT_MS = 500;
/** How long one node of a cluster may take, so that those beside it are heard. */
export const NODE_TIMEOUT_MS = REDIS_TIMEOUT_MS - 100;
/** How much of what is due leaves together at most. */
const MAX_OFFERED = 500;

/** Whether Redis can be reached and takes writes; if it takes none, the code with which it says why: `refuses writes: OOM`. */
export type RedisState = 'ok' | 'unreachable' | `refuses writes: ${string}`;

const REFUSAL = new RegExp(`\\b(${WRITE_REFUSALS.join('|')})\\b`);

/** What an error says of Redis that a command was answered with, or that the lack of an answer is. */
export function stateAfter(err: unknown): RedisState {
  const [, code] = REFUSAL.exec((err as Error).message) ?? [];
  return code === undefined ? 'unreachable' : `refuses writes: ${code}`;
}

export type OpenQueues<Name extends string> = {
  byName: Record<Name, Queue>;
  /** What `work` returns; undefined where Redis is away, fails or takes longer than 500 ms. Never throws. */
  ask<T>(name: Name, work: (queue: Queue) => Promise<T>): Promise<T | undefined>;
  /** What each server that the queues are connected to says of itself (INFO); undefined and bounded as `ask`. */
  askServers(): Promise<string[] | undefined>;
  /**
   * Makes a function that offers what is due to a queue, as the jobs that `toJobs` makes of it, and resolves to whether Redis took
   * them, as `ask`. What is offered while the offer before is under way leaves together, 500 at most (`batched`).
   */
  offering<Due>(
    name: Name,
    toJobs: (due: readonly Due[]) => NewJob[],
  ): (due: readonly Due[]) => Promise<boolean>;
  /** Deletes a queue of a former release once none of its workers is connected; nothing without Redis. */
  removeRetired(name: string): Promise<void>;
  isReady(): boolean;
  /** Tries a write, within 500 ms. */
  tryWrite(): Promise<RedisState>;
  close(): Promise<void>;
};

/** Connects queues to Redis in the background, over one connection; they can be asked before it is there. */
export function openQueues<Name extends string>(
  names: readonly Name[],
  { redisUrl, prefix }: { redisUrl: string; prefix: string },
  log: Logger,
): OpenQueues<Name> {
  const redis = createProducerRedis(redisUrl, log);
  const open = (name: string) => {
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

  const inTime = async <T>(of: { queue?: Name }, work: () => Promise<T>): Promise<T | undefined> => {
    if (redis.status !== 'ready') return undefined;
    const deadline = new AbortController();
    try {
      return await Promise.race([work(), delay(REDIS_TIMEOUT_MS, undefined, { signal: deadline.signal })]);
    } catch (err) {
      const state = stateAfter(err);
      const what = state === 'unreachable' ? 'did not respond' : state;
      log.warn(
        { ...of, error: (err as Error).message },
        `Redis ${what}; the sweep adds the jobs that it rejected`,
      );
      return undefined;
    } finally {
      deadline.abort();
    }
  };
  const ask: OpenQueues<Name>['ask'] = (name, work) => inTime({ queue: name }, () => work(byName[name]));

  return {
    byName,
    isReady: () => redis.status === 'ready',
    tryWrite: async () => {
      if (redis.status !== 'ready') return 'unreachable';
      const write = () => redis.set(`${prefix}:write-trial`, 1, 'EX', 60);
      return withDeadline(REDIS_TIMEOUT_MS, write).then(() => 'ok', stateAfter);
    },
    ask,
    removeRetired: async (name) => {
      const queue = open(name);
      try {
        if (redis.status === 'ready' && (await queue.getWorkersCount()) === 0)
          await queue.obliterate({ force: true });
      } finally {
        await queue.close();
      }
    },
    askServers: () => inTime({}, () => connectedInfos(redis, NODE_TIMEOUT_MS)),
    offering: (name, toJobs) => {
      const offer = batched(async (due: Parameters<typeof toJobs>[0]) => {
        const isTaken = (await ask(name, (queue) => queue.addBulk(toJobs(due)))) !== undefined;
        return due.map(() => isTaken);
      }, MAX_OFFERED);
      return async (due) => (await Promise.all(due.map(offer))).every((isTaken) => isTaken);
    },
    close: async () => {
      const queues: Queue[] = Object.values(byName);
      await Promise.all(queues.map((queue) => queue.close().catch(() => undefined)));
      await closeRedis(redis);
    },
  };
}
