import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { createLogger } from '../../src/platform/logger.ts';
import type { QueueName } from '../../src/queues/jobs.ts';
import { createQueues, type Queues } from '../../src/queues/queues.ts';
import { eventually } from '../support/eventually.ts';
import { releasing } from '../support/releases.ts';
import { freshName, runSetting } from '../support/service-environment.ts';
import { startTcpRelay } from '../support/tcp-relay.ts';
import { anyDeadDelivery, anyDueDelivery, anyHold } from './any-jobs.ts';

const afterwards = releasing(afterEach);

type MortalRedis = { url: string; died: Promise<void>; revive(): Promise<void> };

/** A Redis that dies when BullMQ, on a ready connection, checks its version with INFO. */
async function mortalRedis(): Promise<MortalRedis> {
  const { port } = new URL(runSetting('TEST_REDIS_URL'));
  let infoCommands = 0;
  let die = () => undefined as void;
  const died = new Promise<void>((resolve) => {
    die = () => void relay.close().then(resolve);
  });
  const relay = await startTcpRelay(Number(port), (chunk) => {
    // The client itself sends the first INFO, before it is ready.
    if (/\$4\r\ninfo\r\n/i.test(chunk.toString()) && ++infoCommands === 2) die();
  });
  afterwards(() => relay.close());
  return { url: `redis://127.0.0.1:${relay.port}`, died, revive: () => relay.reopen() };
}

const anyPrefix = () => `{${freshName()}}`;
/** Enough for a client that gives up too early: one that retries a command only once. */
const REFUSED_CONNECTIONS = 3;

test('jobs are accepted again after Redis died during a queue’s first command', async () => {
  const redis = await mortalRedis();
  const lines: string[] = [];
  const log = createLogger('test', 'debug', { write: (line) => void lines.push(line) });
  const queues = createQueues(redis.url, anyPrefix(), log);
  afterwards(() => queues.close());
  await redis.died;
  const refused = () => lines.filter((line) => /"hold-expiry".*ECONNREFUSED/.test(line)).length;
  await eventually('connections are refused', () => refused() >= REFUSED_CONNECTIONS);
  await redis.revive();
  await eventually('Redis is there again', () => queues.isReady());

  const now = new Date();
  expect(await queues.scheduleHoldExpiry(anyHold('h', now), now)).toBe(true);
  expect(await queues.enqueueDispatch('r', 'e', 'hold_created')).toBe(true);
  expect(await queues.addDeadLetters([anyDeadDelivery('d')])).toBe(true);
  expect(await queues.promoteDelivery({ deliveryId: 'd', generation: 1 })).toBe(false);
});

async function readyQueues(redisUrl = runSetting('TEST_REDIS_URL')): Promise<Queues> {
  const queues = createQueues(redisUrl, anyPrefix(), createLogger('test', 'silent'));
  afterwards(() => queues.close());
  await eventually('Redis is there', () => queues.isReady());
  return queues;
}

test.each(['event-dispatch', 'webhook-dead-letter'])(
  'the queue %s of an earlier release is deleted once its last worker has ended',
  async (name) => {
    const queues = await readyQueues();
    const { opts } = queues.byName('webhook-delivery');
    const connection = new Redis(runSetting('TEST_REDIS_URL'), { maxRetriesPerRequest: null });
    afterwards(async () => connection.disconnect());
    const retired = new Queue(name, { connection, prefix: opts.prefix ?? '' });
    const worker = new Worker(name, null, { connection, prefix: opts.prefix ?? '' });
    await worker.waitUntilReady();
    await retired.add('any', {});
    const keysOfQueue = () => connection.keys(`${opts.prefix}:${name}:*`);
    await eventually('it is connected', async () => (await retired.getWorkersCount()) === 1);

    await queues.removeRetired();
    expect(await keysOfQueue()).not.toEqual([]);
    await worker.close();
    await eventually('it is gone', async () => (await retired.getWorkersCount()) === 0);
    await queues.removeRetired();
    expect(await keysOfQueue()).toEqual([]);
    await retired.close();
  },
);

test.each([
  ['is made due if the clock of the host was set back meanwhile', 3_600_000, 'waiting'],
  ['stays delayed if it was not', 0, 'delayed'],
])('the job of a delivery that lacked a permit, and waits some seconds, %s', async (_what, aheadMs, state) => {
  const queues = await readyQueues();
  const delivery = anyDueDelivery('d', { delayMs: 5000 });
  const realNow = Date.now.bind(Date);
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => realNow() + aheadMs);
  await queues.scheduleDeliveries([delivery]);
  clock.mockRestore();

  const series = { deliveryId: 'd', generation: 1 };
  expect(await queues.ensureDelivery(series, async () => delivery)).toBe('present');

  const job = await queues.byName('webhook-delivery').getJob('delivery-d-g1');
  expect(await job?.getState()).toBe(state);
});

describe('jobs that are added concurrently', () => {
  /** Records the size of each bulk of jobs that is added to the queue from now on. */
  function bulksTo(queues: Queues, name: QueueName): number[] {
    const bulks: number[] = [];
    const queue = queues.byName(name);
    const addBulk = queue.addBulk.bind(queue);
    queue.addBulk = (jobs) => {
      bulks.push(jobs.length);
      return addBulk(jobs);
    };
    return bulks;
  }

  const ids = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);

  test('reach each queue in bulk, with up to 50 events in one job; a single job is added immediately', async () => {
    const queues = await readyQueues();
    const [dispatches, expiries] = [bulksTo(queues, 'webhook-delivery'), bulksTo(queues, 'hold-expiry')];
    const now = new Date();
    const accepted = await Promise.all(
      ids(120).flatMap((id) => [
        queues.enqueueDispatch(`r${id}`, `e${id}`, 'hold_created'),
        queues.scheduleHoldExpiry(anyHold(id, now), now),
      ]),
    );
    expect(await queues.enqueueDispatch('r', 'e', 'hold_created')).toBe(true);

    expect(new Set(accepted)).toEqual(new Set([true]));
    expect([dispatches, expiries]).toEqual([[3, 1], [120]]);
    const jobs = await queues.byName('webhook-delivery').getWaiting();
    const reservationIds = ids(120).map((id) => `r${id}`);
    expect(jobs.map(({ data }) => (data as { reservationIds: string[] }).reservationIds)).toEqual([
      reservationIds.slice(0, 50),
      reservationIds.slice(50, 100),
      reservationIds.slice(100),
      ['r'],
    ]);
  });

  test('do not include expiry jobs of holds that ended soon after they were placed', async () => {
    const queues = await readyQueues();
    const now = new Date();
    const holds = ids(20).map((id) => anyHold(id, new Date(now.getTime() + 60_000)));
    const endedHold = anyHold('ended before', new Date(now.getTime() + 60_000));
    await queues.scheduleHoldExpiry(endedHold, now);
    const done = [queues.removeHoldExpiry(endedHold)];
    for (const hold of holds) {
      done.push(queues.scheduleHoldExpiry(hold, now));
      await delay(25);
      done.push(queues.removeHoldExpiry(hold));
    }
    expect(new Set(await Promise.all(done))).toEqual(new Set([true]));
    expect(await queues.byName('hold-expiry').getDelayedCount()).toBe(0);
  });

  test('contain every event, even if a reservation of the second call is already in a job of the first', async () => {
    const queues = await readyQueues();
    const now = new Date();
    const expiresAt = new Date(now.getTime() + 60_000);
    const add = (...holdIds: string[]) =>
      Promise.all(
        holdIds.flatMap((id) => [
          queues.scheduleHoldExpiry(anyHold(id, expiresAt), now),
          queues.enqueueDispatch(id, `event of ${id}`, 'hold_created'),
        ]),
      );
    await add('a');
    await add('a', 'b');
    await add('a', 'c');

    const expiries = await queues.byName('hold-expiry').getDelayed();
    const dispatches = await queues.byName('webhook-delivery').getWaiting();
    const holdIds = expiries.map(({ data }) => (data as { hold_id: string }).hold_id);
    const reservationIds = dispatches.flatMap(({ data }) => (data as { reservationIds: string[] }).reservationIds);
    for (const queued of [holdIds, reservationIds]) expect(new Set(queued)).toEqual(new Set(['a', 'b', 'c']));
  });

  test('are rejected without an error if Redis does not respond; later jobs do not wait for earlier ones', async () => {
    const relay = await startTcpRelay(Number(new URL(runSetting('TEST_REDIS_URL')).port));
    afterwards(() => relay.close());
    const queues = await readyQueues(`redis://127.0.0.1:${relay.port}`);
    expect(await queues.enqueueDispatch('r', 'e', 'hold_created')).toBe(true);
    const bulks = bulksTo(queues, 'webhook-delivery');
    relay.swallow();
    const addThree = () => Promise.all(ids(3).map((id) => queues.enqueueDispatch(id, id, 'hold_created')));
    const first = addThree();
    await eventually('the first are sent', () => bulks.length === 1);
    const second = addThree();
    await eventually('the second are sent', () => bulks.length === 2);

    // The first call ends first: it does not wait for the second one.
    const firstEnded = await Promise.race([first, second.then(() => 'the second')]);
    expect([firstEnded, await second]).toEqual([
      [false, false, false],
      [false, false, false],
    ]);
    expect(bulks).toEqual([1, 1]);
  });
});
