import { Queue } from 'bullmq';
import { batched } from '../platform/batched.ts';
import { withTimeout } from '../platform/deadline.ts';
import type { Logger } from '../platform/logger.ts';
import { closeRedis, createProducerRedis, WRITE_REFUSALS } from '../platform/redis.ts';
import { connectedInfos } from '../platform/redis-info.ts';
import { infoField, isPersistent } from '../platform/server-requirements.rules.ts';
import { QUEUE_NAMES, type QueueName } from './jobs.ts';

/** How long a call may wait for Redis. */
export const REDIS_TIMEOUT_MS = 500;
/** How long one node of Redis Cluster may take: less than a call, so that a silent node does not hide other nodes. */
export const NODE_TIMEOUT_MS = REDIS_TIMEOUT_MS - 100;
const MAX_BATCH = 500;

/** Whether Redis can be reached and accepts writes. A refusal has the error code: `refuses writes: OOM`. */
type RedisState = 'ok' | 'unreachable' | `refuses writes: ${string}`;

const REFUSAL = new RegExp(`\\b(${WRITE_REFUSALS.join('|')})\\b`);

/** The state of Redis, by the error of a command. */
export function stateAfter(err: unknown): RedisState {
  const [, code] = REFUSAL.exec((err as Error).message) ?? [];
  return code === undefined ? 'unreachable' : `refuses writes: ${code}`;
}

/**
 * Connects all queues to Redis in the background, over one connection. Until it opens, calls return at once without a
 * result.
 */
export function openQueues(redisUrl: string, prefix: string, log: Logger) {
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
  const byName = Object.fromEntries(QUEUE_NAMES.map((name) => [name, open(name)])) as Record<QueueName, Queue>;
  const isReady = () => redis.status === 'ready';

  const inTime = async <T>(fields: { queue?: QueueName }, work: () => Promise<T>): Promise<T | undefined> => {
    if (!isReady()) return undefined;
    try {
      return await withTimeout(REDIS_TIMEOUT_MS, work);
    } catch (err) {
      const state = stateAfter(err);
      const what = state === 'unreachable' ? 'did not respond' : state;
      log.warn({ ...fields, error: (err as Error).message }, `Redis ${what}; sweeps find due work that has no job`);
      return undefined;
    }
  };
  /** Returns the result of `work`; undefined if Redis is away, fails or takes longer than 500 ms. Never throws. */
  const ask = <T>(queue: QueueName, work: (queue: Queue) => Promise<T>) => inTime({ queue }, () => work(byName[queue]));

  return {
    byName,
    isReady,
    ask,
    /** Tries a write, within 500 ms. */
    async tryWrite(): Promise<RedisState> {
      if (!isReady()) return 'unreachable';
      const write = () => redis.set(`${prefix}:write-trial`, 1, 'EX', 60);
      return withTimeout(REDIS_TIMEOUT_MS, write).then(() => 'ok', stateAfter);
    },
    /**
     * Deletes the queues of older releases that `webhook-delivery` and `dead-letter` replace, once they have no
     * workers.
     */
    async removeRetired(): Promise<void> {
      for (const name of ['event-dispatch', 'webhook-dead-letter']) {
        const queue = open(name);
        try {
          if (isReady() && (await queue.getWorkersCount()) === 0) await queue.obliterate({ force: true });
        } finally {
          await queue.close();
        }
      }
    },
    /** The state of the Redis servers; undefined without a response within 500 ms. */
    async readServers(): Promise<RedisServers | undefined> {
      const infos = await inTime({}, () => connectedInfos(redis, NODE_TIMEOUT_MS));
      return infos && serversIn(infos);
    },
    /**
     * Returns a function that makes a change of a queue, in a batch with others, and resolves to whether Redis accepted
     * the batch. `lingerMs`: how long a batch waits for more changes.
     */
    batchChanges<Change>(
      name: QueueName,
      work: (queue: Queue, changes: readonly Change[]) => Promise<object>,
      lingerMs = 0,
    ) {
      const change = async (changes: readonly Change[]) => {
        const isDone = (await ask(name, (queue) => work(queue, changes))) !== undefined;
        return changes.map(() => isDone);
      };
      return batched(change, MAX_BATCH, lingerMs);
    },
    async close(): Promise<void> {
      await Promise.all(Object.values(byName).map((queue) => queue.close().catch(() => undefined)));
      await closeRedis(redis);
    },
  };
}

/**
 * The worst values of all servers. `memoryUsed` is the share of `maxmemory`, 0 without a limit. `isPersistent`: whether
 * every server has an append-only file; undefined if unknown.
 */
export type RedisServers = { isPersistent: boolean | undefined; isPersistenceFailing: boolean; memoryUsed: number };

const OUTCOMES = ['aof_last_write_status', 'aof_last_bgrewrite_status', 'rdb_last_bgsave_status'];

export function serversIn(infos: readonly string[]): RedisServers {
  const persistent = infos.map(isPersistent);
  return {
    isPersistent: [false, undefined, true].find((each) => persistent.includes(each)),
    isPersistenceFailing: infos.some((info) => OUTCOMES.some((name) => infoField(info, name) === 'err')),
    memoryUsed: Math.max(0, ...infos.map(memoryUsed)),
  };
}

/** Uses the figures by which Redis itself decides whether it is full. */
function memoryUsed(info: string): number {
  const bytes = (name: string) => Number(infoField(info, name) ?? 0);
  const max = bytes('maxmemory');
  return max > 0 ? (bytes('used_memory') - bytes('mem_not_counted_for_evict')) / max : 0;
}
