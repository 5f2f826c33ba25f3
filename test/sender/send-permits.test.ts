import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { SendPermit, SendPermits } from '../../src/webhooks/sender/send-permits.ts';
import { createSendPermits, deferralMs } from '../../src/webhooks/sender/send-permits.ts';

/** A send that takes longer is slow (ADR 0012). */
const SLOW_AFTER_MS = 1000;

/** `a` is an endpoint of partner a, `a/2` another of its endpoints. */
const at = (endpoint: string) => ({ subscriptionId: endpoint, partnerId: endpoint.split('/')[0] ?? '' });

const never = () => new AbortController().signal;

/** The results of `count` deliveries to an endpoint: a permit, null if it is full, or 'waiting'. */
function acquireAll(permits: SendPermits, endpoint: string, count: number): Promise<(SendPermit | null | 'waiting')[]> {
  const entries = Array.from({ length: count }, () => permits.acquire(at(endpoint), never()));
  return Promise.all(entries.map((entry) => Promise.race([entry, delay(0, 'waiting' as const)])));
}

const isPermit = (each: SendPermit | null | 'waiting'): each is SendPermit => each !== null && each !== 'waiting';
const shown = (entries: (SendPermit | null | 'waiting')[]) =>
  entries.map((each) => (isPermit(each) ? 'in' : each === null ? 'full' : each));

/** Permits that have begun to send, to an endpoint with this many consecutive failures. */
async function sending(permits: SendPermits, endpoint: string, count: number, failures = 0): Promise<SendPermit[]> {
  const granted = (await acquireAll(permits, endpoint, count)).filter(isPermit);
  return granted.filter((permit) => permit.beginSend(failures));
}

test('an endpoint that responds is never full, however many deliveries wait', async () => {
  const permits = createSendPermits(4, 2);
  let most = 0;
  let inProgress = 0;
  const granted = Array.from({ length: 50 }, async () => {
    const permit = await permits.acquire(at('healthy'), never());
    most = Math.max(most, (inProgress += 1));
    expect(permit?.beginSend(2)).toBe(true);
    await delay(1);
    inProgress -= 1;
    permit?.release();
  });
  await Promise.all(granted);
  expect(most).toBe(1);
});

test('a slow send gives its permit to another; when an endpoint’s quarter is slow, its waiting deliveries get none', async () => {
  const permits = createSendPermits(8, 2);
  const beganAt = performance.now();
  const slow = await sending(permits, 'hanging', 2);
  expect(shown(await acquireAll(permits, 'b', 2))).toEqual(['in', 'in']);
  expect(shown(await acquireAll(permits, 'c', 2))).toEqual(['in', 'in']);
  expect(shown(await acquireAll(permits, 'd', 2))).toEqual(['in', 'in']);
  const behindIt = permits.acquire(at('hanging'), never());
  const another = permits.acquire(at('e'), never());

  expect(await behindIt).toBeNull();
  expect(performance.now() - beganAt).toBeGreaterThanOrEqual(SLOW_AFTER_MS - 5);
  expect(await another).not.toBeNull();
  expect(await permits.acquire(at('hanging'), never())).toBeNull();

  slow[0]?.release();
  expect(await permits.acquire(at('hanging'), never())).not.toBeNull();
});

test('when a partner’s half is slow, its endpoints are full until a send ends; others are not', async () => {
  const permits = createSendPermits(8, 2);
  const slow = [...(await sending(permits, 'p/1', 2)), ...(await sending(permits, 'p/2', 2))];
  const behind = permits.acquire(at('p/3'), never());
  expect(await behind).toBeNull();
  expect(shown(await acquireAll(permits, 'p/4', 1))).toEqual(['full']);
  expect(shown(await acquireAll(permits, 'q/1', 2))).toEqual(['in', 'in']);
  for (const each of slow) each.release();
  expect(shown(await acquireAll(permits, 'p/4', 1))).toEqual(['in']);
});

test('a slow send that ends does not give its permit back again', async () => {
  const permits = createSendPermits(1, 2);
  const [slow] = await sending(permits, 'slow', 1);
  const second = await permits.acquire(at('b'), never());
  slow?.release();
  expect(shown(await acquireAll(permits, 'c', 1))).toEqual(['waiting']);
  second?.release();
});

test('an endpoint that failed three times in a row gets only its share of sends', async () => {
  const permits = createSendPermits(40, 2);
  const sends = await sending(permits, 'failing', 3, 3);
  expect(sends).toHaveLength(2);
  expect(shown(await acquireAll(permits, 'failing', 1))).toEqual(['full']);
  expect(await sending(permits, 'another', 3, 2)).toHaveLength(3);
});

test('a full unhealthy endpoint stays full until a send ends', async () => {
  const permits = createSendPermits(40, 1);
  const [send] = await sending(permits, 'failing', 1, 3);
  const refused = await permits.acquire(at('failing'), never());
  expect(refused?.beginSend(3)).toBe(false);
  refused?.release();
  expect(await permits.acquire(at('failing'), never())).toBeNull();
  send?.release();
  expect(await sending(permits, 'failing', 1, 3)).toHaveLength(1);
});

test('a waiting delivery gets no permit when the process stops', async () => {
  const permits = createSendPermits(1, 2);
  const held = await permits.acquire(at('a'), never());
  const stop = new AbortController();
  const waiting = permits.acquire(at('b'), stop.signal);
  stop.abort();
  expect(await waiting).toBeNull();
  held?.release();
  expect(shown(await acquireAll(permits, 'b', 1))).toEqual(['in']);
});

test('a deferred delivery is retried within 2 to 6 seconds', () => {
  expect([deferralMs(() => 0), deferralMs(() => 0.9999)]).toEqual([2000, 5999]);
});
