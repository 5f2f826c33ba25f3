import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { databaseUri, freshName, runSetting } from './service-environment.ts';
import { hostedService } from './service-host.ts';

const watchLeaks = createRequire(import.meta.url)('./leaks.cjs') as (
  settledAfterMs: number,
) => () => Promise<void>;

const mongo = new mongoose.mongo.MongoClient(databaseUri(freshName()));
const redis = new Redis(runSetting('TEST_REDIS_URL'));
await mongo.db().command({ ping: 1 });
afterAll(async () => {
  await mongo.close();
  await redis.quit();
});

test('a suite that leaves nothing behind passes', async () => {
  await expect(watchLeaks(100)()).resolves.toBeUndefined();
});

test('a suite fails that leaves a timer or a listener', async () => {
  const requireNoLeaks = watchLeaks(100);
  // More than the drivers above may have ended meanwhile.
  const timers = Array.from({ length: 20 }, () => setTimeout(() => undefined, 60_000));
  await expect(requireNoLeaks()).rejects.toThrow(/\d Timeout/);
  timers.forEach(clearTimeout);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  await expect(requireNoLeaks()).rejects.toThrow('1 TCPServerWrap');
  server.close();
  await expect(requireNoLeaks()).resolves.toBeUndefined();
});

test('a suite fails that leaves a database, which is dropped', async () => {
  await mongo.db().collection('rows').insertOne({});
  await expect(watchLeaks(100)()).rejects.toThrow(`the database ${mongo.db().databaseName}`);
  await expect(watchLeaks(100)()).resolves.toBeUndefined();
});

test('a suite fails that leaves a service running in the host, which is stopped', async () => {
  const { url } = await hostedService();
  await expect(watchLeaks(100)()).rejects.toThrow('the service t');
  await expect(fetch(url)).rejects.toThrow('fetch failed');
  await expect(watchLeaks(100)()).resolves.toBeUndefined();
});

test('a suite fails that leaves a key in Redis under no service’s prefix, which is deleted; others’ are not touched', async () => {
  const astray = freshName();
  await redis.mset({ [astray]: '1', '{shared}:kept': '1' });
  await expect(watchLeaks(100)()).rejects.toThrow(`the Redis key ${astray}`);
  expect(await redis.mget(astray, '{shared}:kept')).toEqual([null, '1']);
  await redis.del('{shared}:kept');
});
