import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { createRateLimits } from '../../src/http/rate-limiter.ts';
import type { Reply } from '../support/client.ts';
import { createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import type { Partner } from '../support/factories.ts';
import { anyPartner } from '../support/factories.ts';
import { ownRedis } from '../support/own-servers.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { verdict } from '../support/verdict.ts';
import { counterOf, inTurn, quotaOf } from './quota.ts';

const LIMIT = 3;
const VENUES = '/api/v1/partner/venues';
const ANSWER_WITHIN_MS = 500;
/** How long a process waits for Redis. */
const PATIENCE_MS = 100;

// Redis is down from the start.
const redis = await ownRedis();
const settings = { REDIS_URL: redis.uri, RATE_LIMIT_PER_MINUTE: String(LIMIT) };
const one = await startService(settings);
const { MONGODB_URI = '', QUEUE_PREFIX = '' } = one.environment;
const two = await startService({ ...settings, MONGODB_URI, QUEUE_PREFIX });
afterEach(() => redis.signal('SIGCONT'));
afterAll(async () => {
  await two.stop({ keepsDatabase: true });
  await one.stop();
  await redis.discard();
});

type Timed = Reply & { durationMs: number };

async function call(service: Service, partner: Partner): Promise<Timed> {
  const beganAt = performance.now();
  const reply = await createClient(service.url, partner.apiKey).get(VENUES);
  return { ...reply, durationMs: performance.now() - beganAt };
}

const calls = (service: Service, partner: Partner, count: number) => inTurn(count, () => call(service, partner));

const remaining = (replies: Reply[]) => replies.map((reply) => quotaOf(reply)?.remaining);
const slowestMs = (replies: Timed[]) => Math.max(...replies.map(({ durationMs }) => durationMs));

const ALONE = 'falling back to per-process rate limits';
const TOGETHER = 'rate limits are shared by all processes';
const lines = (service: Service, text: string) => service.logs().split(text).length - 1;

/** Each process counts by itself: both serve the whole quota, and no more. */
async function expectEachByItself(): Promise<Timed[]> {
  const partner = await anyPartner(one);
  const replies: Timed[] = [];
  for (const service of [one, two]) {
    const served = await calls(service, partner, LIMIT);
    expect(served.map(verdict)).toEqual(Array(LIMIT).fill('200'));
    expect(remaining(served)).toEqual([2, 1, 0]);
    const rejections = await calls(service, partner, 2);
    expect(rejections.map(verdict)).toEqual(['429 RATE_LIMITED', '429 RATE_LIMITED']);
    expect(rejections[0]?.headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
    replies.push(...served, ...rejections);
  }
  expect(slowestMs(replies)).toBeLessThan(ANSWER_WITHIN_MS);
  return replies;
}

/** Asks Redis over a temporary connection, which never reconnects. */
async function ask<T>(question: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(redis.uri, { retryStrategy: () => null });
  client.on('error', () => undefined);
  try {
    return await question(client);
  } finally {
    client.disconnect();
  }
}

const isCounted = async (key: string) => (await ask((client) => client.exists(key))) === 1;

/** Waits until both processes count in Redis, then expects one quota for both. */
async function expectTogether(): Promise<void> {
  for (const service of [one, two]) {
    await eventually('the process counts in Redis', async () => {
      const partner = await anyPartner(one);
      await call(service, partner);
      return isCounted(counterOf(service, partner.id));
    });
  }
  const partner = await anyPartner(one);
  const replies = [
    ...(await calls(one, partner, 2)),
    ...(await calls(two, partner, 2)),
    ...(await calls(one, partner, 1)),
  ];
  expect(replies.map(verdict)).toEqual(['200', '200', '200', '429 RATE_LIMITED', '429 RATE_LIMITED']);
}

test.each([
  ['down from the start', () => Promise.resolve()],
  ['killed', () => redis.signal('SIGKILL')],
])('with Redis %s, each process limits by itself; once Redis is up, both share a limit', async (_state, begin) => {
  const before = [one, two].map((service) => [lines(service, ALONE), lines(service, TOGETHER)]);
  await begin();
  await expectEachByItself();
  await redis.start();
  await expectTogether();
  const after = [one, two].map((service) => [lines(service, ALONE), lines(service, TOGETHER)]);
  expect(after).toEqual(before.map(([alone = 0, together = 0]) => [alone + 1, together + 1]));
});

test('with Redis frozen, only the first call of each process waits for it', async () => {
  await redis.signal('SIGSTOP');
  const replies = await expectEachByItself();
  // The first call of each process has waited for Redis.
  const first = [replies[0], replies[LIMIT + 2]].map((reply) => reply?.durationMs ?? 0);
  expect(Math.min(...first)).toBeGreaterThanOrEqual(PATIENCE_MS - 5);

  // In these 1.5 s the process retries Redis several times, and at most two calls wait for that. Count without HTTP: a
  // busy machine must not look like a slow limit.
  const endsAt = performance.now() + 1500;
  const waitsMs: number[] = [];
  while (performance.now() < endsAt) {
    const beganAt = performance.now();
    await one.context.rateLimits.partnerCalls?.count('any');
    waitsMs.push(performance.now() - beganAt);
    await setImmediate();
  }
  expect(waitsMs.length).toBeGreaterThan(15);
  expect(waitsMs.filter((ms) => ms >= PATIENCE_MS - 5).length).toBeLessThan(3);

  await redis.signal('SIGCONT');
  await expectTogether();
});

test('a process that is too busy to read the response of Redis does not mistake that for an outage', async () => {
  const limits = createRateLimits(one.context.config, one.context.log);
  await eventually('it counts in Redis', async () => {
    await limits.partnerCalls?.count('warm');
    return isCounted(counterOf(one, 'warm'));
  });
  const before = lines(one, ALONE);
  for (const key of ['busy-1', 'busy-2', 'busy-3', 'busy-4', 'busy-5']) {
    const counting = limits.partnerCalls?.count(key);
    const busyUntil = performance.now() + 3 * PATIENCE_MS;
    while (performance.now() < busyUntil);
    expect(await counting).toMatchObject({ remaining: LIMIT - 1 });
    expect(await ask((client) => client.get(counterOf(one, key)))).toBe('1');
  }
  expect(lines(one, ALONE)).toBe(before);
  await limits.close();
});
