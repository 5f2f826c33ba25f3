import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Worker } from 'bullmq';
import { createRateLimits } from '../../src/http/rate-limiter.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { askOnce, closeRedis, createWorkerRedis } from '../../src/platform/redis.ts';
import { readRedisInfos } from '../../src/platform/redis-info.ts';
import { QUEUE_NAMES } from '../../src/queues/jobs.ts';
import { createQueues } from '../../src/queues/queues.ts';
import { anyDeadDelivery, anyHold } from '../queues/any-jobs.ts';
import { eventually } from '../support/eventually.ts';
import { type RedisSet, startCluster, startSentinels } from '../support/redis-sets.ts';
import { releasing } from '../support/releases.ts';

const PREFIX = '{pbs}';
const silent = createLogger('test', 'silent');
const atEnd = releasing(afterAll);

/** Uses Redis like a process of the service: adds jobs, takes them, counts calls. */
async function startClient({ url }: RedisSet) {
  const queues = createQueues(url, PREFIX, silent);
  atEnd(() => queues.close());
  const connection = createWorkerRedis(url, silent);
  const taken: string[] = [];
  const worker = new Worker('hold-expiry', async (job) => void taken.push((job.data as { hold_id: string }).hold_id), {
    connection,
    prefix: PREFIX,
  });
  worker.on('error', () => undefined);
  atEnd(
    () => closeRedis(connection),
    () => worker.close(true),
  );
  const limits = createRateLimits({ rateLimitPerMinute: 1000, redisUrl: url, queuePrefix: PREFIX }, silent);
  atEnd(() => limits.close());
  await eventually('Redis is there', () => queues.isReady());
  return {
    queues,
    addJob: async (holdId: string) => {
      const now = new Date();
      return queues.scheduleHoldExpiry(anyHold(holdId, now), now);
    },
    hasTaken: (holdId: string) => eventually('the job is taken', () => taken.includes(holdId)),
    count: async () => (await limits.partnerCalls?.count('partner'))?.remaining ?? 0,
  };
}

describe.each([
  ['sentinels', () => startSentinels()],
  ['a cluster', () => startCluster()],
])('a Redis of %s', (_what, start) => {
  let set: RedisSet;
  let client: Awaited<ReturnType<typeof startClient>>;
  beforeAll(async () => {
    set = await start();
    atEnd(set.discard);
    client = await startClient(set);
  });

  test('accepts and returns jobs, lists queues, counts calls, and lets each node be checked', async () => {
    expect(await client.addJob('h1')).toBe(true);
    await client.hasTaken('h1');
    expect(await client.queues.exportMetrics()).toHaveLength(QUEUE_NAMES.length);
    const [holdExpiry] = (await client.queues.readStates()) ?? [];
    expect(holdExpiry).toEqual({ name: 'hold-expiry', isPaused: false, workers: 1 });
    expect(await client.queues.readServers()).toMatchObject({ isPersistenceFailing: false });
    expect(await client.queues.addDeadLetters(['d1', 'd2'].map(anyDeadDelivery))).toBe(true);
    expect(await client.queues.removeDeadLetters(['d1'])).toBe(true);
    expect(await client.queues.listDeadLetters(0, 10)).toEqual(['d2']);
    const before = await eventually('calls are counted', async () => (await client.count()) || false);
    expect(await client.count()).toBe(before - 1);
    const master = await set.masterOf(`${PREFIX}:rate-limit:partner`);
    expect(await set.ask(master, 'GET', `${PREFIX}:rate-limit:partner`)).toBe(String(1000 - before + 1));
    expect(await askOnce(set.url, new AbortController().signal, readRedisInfos)).toHaveLength(set.nodes.length);
  });

  test('shows metrics, queues and servers while one node is frozen', async () => {
    const last = set.nodes.at(-1);
    await last?.signal('SIGSTOP');
    const seen = await Promise.all([
      client.queues.readServers(),
      client.queues.readStates(),
      client.queues.exportMetrics(),
    ]);
    const atStart = await askOnce(set.url, AbortSignal.timeout(10_000), readRedisInfos);
    await last?.signal('SIGCONT');
    expect(seen[0]).toMatchObject({ isPersistenceFailing: false });
    expect(seen[1]?.map(({ name }) => name)).toContain('hold-expiry');
    expect(seen[2]).toHaveLength(QUEUE_NAMES.length);
    expect(atStart).toHaveLength(set.nodes.length - 1);
  });

  test('continues on another node when the one that takes writes is killed; meanwhile, adding a job ends in time', async () => {
    const master = await set.masterOf(`${PREFIX}:hold-expiry:meta`);
    await set.nodes[master]?.signal('SIGKILL');
    let slowestMs = 0;
    await eventually('jobs are accepted again', async () => {
      const beganAt = performance.now();
      const isAdded = await client.addJob('h2');
      slowestMs = Math.max(slowestMs, performance.now() - beganAt);
      return isAdded;
    });
    await client.hasTaken('h2');
    // The limit is 500 ms; a busy machine takes longer to notice its end.
    expect(slowestMs).toBeLessThan(2000);
    expect(await set.masterOf(`${PREFIX}:hold-expiry:meta`)).not.toBe(master);
    await set.nodes[master]?.start();
  });
});
