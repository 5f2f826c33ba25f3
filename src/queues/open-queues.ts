import { Queue } from 'bullmq';
import { batched } from '../platform/batched.ts';
import { withTimeout } from '../platform/deadline.ts';
import type { Logger } from '../platform/logger.ts';
import { closeRedis, createProducerRedis, WRITE_REFUSALS } from '../platform/redis.ts';
import { connectedInfos } from '../platform/redis-info.ts';
import { infoField, isPersistent } from '../platform/server-requirements.rules.ts';
import type { NewJob } from './jobs.ts';

/** How long a call may wait for Redis. */
export const REDIS_TIMEOUT_MS = 500;
/** How long one node of a cluster may take: less than the call, so that a silent node does not hide the others. */
export const NODE_TIMEOUT_MS = REDIS_TIMEOUT_MS - 100;
const MAX_OFFERED = 500;
const LINGER_MS = 200;

/** Whether Redis can be reached and accepts writes; otherwise with the error code: `refuses writes: OOM`. */
export type RedisState = 'ok' | 'unreachable' | `refuses writes: ${string}`;

const REFUSAL = new RegExp(`\\b(${WRITE_REFUSALS.join('|')})\\b`);

/** The state of Redis, by the error of a command. */
export function stateAfter(err: unknown): RedisState {
  const [, code] = REFUSAL.exec((err as Error).message) ?? [];
  return code === undefined ? 'unreachable' : `refuses writes: ${code}`;
}

const removeJobs = (queue: Queue, jobIds: readonly string[]) =>
  Promise.all(jobIds.map((jobId) => queue.remove(jobId, { removeChildren: false })));

/** Connects queues to Redis in the background, over one connection. They can be used before it is open. */
export function openQueues<Name extends string>(
  names: readonly Name[],
  { redisUrl, prefix }: { redisUrl: string; prefix: string },
  log: Logger,
) {
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
  const isReady = () => redis.status === 'ready';

  const inTime = async <T>(fields: { queue?: Name }, work: () => Promise<T>): Promise<T | undefined> => {
    if (!isReady()) return undefined;
    try {
      return await withTimeout(REDIS_TIMEOUT_MS, work);
    } catch (err) {
      const state = stateAfter(err);
      const what = state === 'unreachable' ? 'did not respond' : state;
      log.warn({ ...fields, error: (err as Error).message }, `Redis ${what}; the sweep adds the jobs that it rejected`);
      return undefined;
    }
  };
  /** Returns the result of `work`; undefined if Redis is away, fails or takes longer than 500 ms. Never throws. */
  const ask = <T>(name: Name, work: (queue: Queue) => Promise<T>) => inTime({ queue: name }, () => work(byName[name]));

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
    /** Deletes a queue of a former release once none of its workers is connected; does nothing without Redis. */
    async removeRetired(name: string): Promise<void> {
      const queue = open(name);
      try {
        if (isReady() && (await queue.getWorkersCount()) === 0) await queue.obliterate({ force: true });
      } finally {
        await queue.close();
      }
    },
    /** The state of the Redis servers. Undefined as for `ask`, within the same time. */
    async readServers(): Promise<RedisServers | undefined> {
      const infos = await inTime({}, () => connectedInfos(redis, NODE_TIMEOUT_MS));
      return infos && serversIn(infos);
    },
    /** Adds jobs for due work, and resolves to whether Redis accepted them. Concurrent calls share a batch. */
    offering<Due>(name: Name, toJobs: (due: readonly Due[]) => NewJob[]) {
      return batched(async (due: readonly Due[]) => {
        const isTaken = (await ask(name, (queue) => queue.addBulk(toJobs(due)))) !== undefined;
        return due.map(() => isTaken);
      }, MAX_OFFERED);
    },
    /** Removes a job by its id, unless it is being worked on, and resolves to whether Redis did so; batched as above. */
    removing(name: Name) {
      return batched(async (jobIds: readonly string[]) => {
        const isDone = (await ask(name, (queue) => removeJobs(queue, jobIds))) !== undefined;
        return jobIds.map(() => isDone);
      }, MAX_OFFERED);
    },
    /**
     * Adds and removes jobs that nobody waits for, in order. The changes of 200 ms leave together, which halves their
     * cost. A job that is added and removed within that time is not added.
     */
    changing<Due>(name: Name, toJob: (due: Due) => NewJob) {
      type Change = { jobId: string; added?: Due };
      const change = async (changes: readonly Change[]) => {
        const removed = new Set(changes.flatMap(({ jobId, added }) => (added === undefined ? jobId : [])));
        const added = new Map(changes.flatMap((each) => (each.added === undefined ? [] : [[each.jobId, each.added]])));
        const jobs = [...added].flatMap(([jobId, due]) => (removed.has(jobId) ? [] : toJob(due)));
        const gone = [...removed].filter((jobId) => !added.has(jobId));
        const work = (queue: Queue) => Promise.all([queue.addBulk(jobs), removeJobs(queue, gone)]);
        const isDone = (await ask(name, work)) !== undefined;
        return changes.map(() => isDone);
      };
      return batched(change, MAX_OFFERED, LINGER_MS);
    },
    async close(): Promise<void> {
      const queues: Queue[] = Object.values(byName);
      await Promise.all(queues.map((queue) => queue.close().catch(() => undefined)));
      await closeRedis(redis);
    },
  };
}

/**
 * The state of the worst server. `memoryUsed` is the share of `maxmemory`, 0 without a limit; `isPersistent`: whether
 * it has an append-only file; undefined if unknown.
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
