import { afterEach, expect, test } from '@jest/globals';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { createLogger } from '../../src/platform/logger.ts';
import { createQueues } from '../../src/queues/queues.ts';
import { eventually } from '../support/eventually.ts';
import { freshName } from '../support/service-environment.ts';
import { startTcpRelay } from '../support/tcp-relay.ts';

const releases: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release();
});

type Mortal = { url: string; died: Promise<void>; revive(): Promise<void> };

/** A Redis that dies when it is asked for INFO on a connection that is ready: BullMQ's look at its version. */
async function mortalRedis(): Promise<Mortal> {
  const { port } = new URL(process.env['TEST_REDIS_URL'] ?? '');
  let asked = 0;
  let die = () => undefined as void;
  const died = new Promise<void>((resolve) => {
    die = () => void relay.close().then(resolve);
  });
  const relay = await startTcpRelay(Number(port), (chunk) => {
    // The first is the client's own, before it is ready.
    if (/\$4\r\ninfo\r\n/i.test(chunk.toString()) && ++asked === 2) die();
  });
  releases.push(() => relay.close());
  return { url: `redis://127.0.0.1:${relay.port}`, died, revive: () => relay.reopen() };
}

const anyPrefix = () => `{${freshName()}}`;
/** By then a client that repeats a command once has given it up. */
const REFUSED_CONNECTIONS = 3;

test('offers are taken again after Redis died in the middle of the first question that a queue asks it', async () => {
  const redis = await mortalRedis();
  const lines: string[] = [];
  const log = createLogger('test', 'debug', { write: (line) => void lines.push(line) });
  const queues = createQueues(redis.url, anyPrefix(), log);
  releases.push(() => queues.close());
  await redis.died;
  const refused = () => lines.filter((line) => /"hold-expiry".*ECONNREFUSED/.test(line)).length;
  await eventually('connections are refused', () => refused() >= REFUSED_CONNECTIONS);
  await redis.revive();
  await eventually('Redis is there again', () => queues.isReady());

  const now = new Date();
  expect(await queues.scheduleHoldExpiry({ holdId: 'h', expiresAt: now }, now)).toBe(true);
  expect(await queues.enqueueDispatch('r', 'e')).toBe(true);
  expect(await queues.addDeadLetters(['d'])).toBe(true);
  expect(await queues.promoteDelivery({ deliveryId: 'd', generation: 1 })).toBe(false);
});

test('control: a queue whose connection gives that question up takes nothing any more', async () => {
  const redis = await mortalRedis();
  const connection = new Redis(redis.url, { maxRetriesPerRequest: 1, retryStrategy: () => 100 });
  releases.push(async () => connection.disconnect());
  let refused = 0;
  connection.on('error', () => void refused++);
  const queue = new Queue('hold-expiry', { connection, prefix: anyPrefix() });
  queue.on('error', () => undefined);
  await redis.died;
  await eventually('connections are refused', () => refused >= REFUSED_CONNECTIONS);
  await redis.revive();
  await eventually('Redis is there again', () => connection.status === 'ready');

  await expect(queue.addBulk([{ name: 'expire-hold', data: {} }])).rejects.toThrow('max retries per request');
});
