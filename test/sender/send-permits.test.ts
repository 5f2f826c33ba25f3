import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createSendPermits, type SendPermit, type SendPermits } from '../../src/webhooks/sender/send-permits.ts';

/** A send that takes longer is slow (ADR 0012). */
const SLOW_AFTER_MS = 1000;

/** The endpoint `p/1` belongs to partner p; `a` is the only endpoint of partner a. */
const at = (endpoint: string) => ({ subscriptionId: endpoint, partnerId: endpoint.split('/')[0] ?? '' });

const neverAborted = () => new AbortController().signal;

/** The results of `count` deliveries to an endpoint: a permit, null if it is full, or 'waiting'. */
function acquireAll(permits: SendPermits, endpoint: string, count: number): Promise<(SendPermit | null | 'waiting')[]> {
  const entries = Array.from({ length: count }, () => permits.acquire(at(endpoint), neverAborted()));
  return Promise.all(entries.map((entry) => Promise.race([entry, delay(0, 'waiting' as const)])));
}

const isPermit = (each: SendPermit | null | 'waiting'): each is SendPermit => each !== null && each !== 'waiting';
const describeAll = (entries: (SendPermit | null | 'waiting')[]) =>
  entries.map((each) => (isPermit(each) ? 'in' : each === null ? 'full' : each));

/** Begins sends to an endpoint with this many consecutive failures; returns the permits of those that may begin. */
async function beginSends(permits: SendPermits, endpoint: string, count: number, failures = 0): Promise<SendPermit[]> {
  const granted = (await acquireAll(permits, endpoint, count)).filter(isPermit);
  return granted.filter((permit) => permit.beginSend(failures));
}

test('an endpoint that responds is never full, however many deliveries wait', async () => {
  const permits = createSendPermits(4, 2);
  let mostInProgress = 0;
  let inProgress = 0;
  const granted = Array.from({ length: 50 }, async () => {
    const permit = await permits.acquire(at('healthy'), neverAborted());
    mostInProgress = Math.max(mostInProgress, (inProgress += 1));
    expect(permit?.beginSend(2)).toBe(true);
    await delay(1);
    inProgress -= 1;
    permit?.release();
  });
  await Promise.all(granted);
  expect(mostInProgress).toBe(1);
});

test('a slow send passes its permit on; an endpoint is full if slow sends fill its quarter', async () => {
  const permits = createSendPermits(8, 2);
  const beganAt = performance.now();
  const slow = await beginSends(permits, 'hanging', 2);
  expect(describeAll(await acquireAll(permits, 'b', 2))).toEqual(['in', 'in']);
  expect(describeAll(await acquireAll(permits, 'c', 2))).toEqual(['in', 'in']);
  expect(describeAll(await acquireAll(permits, 'd', 2))).toEqual(['in', 'in']);
  const toHanging = permits.acquire(at('hanging'), neverAborted());
  const toAnother = permits.acquire(at('e'), neverAborted());

  expect(await toHanging).toBeNull();
  expect(performance.now() - beganAt).toBeGreaterThanOrEqual(SLOW_AFTER_MS - 5);
  expect(await toAnother).not.toBeNull();
  expect(await permits.acquire(at('hanging'), neverAborted())).toBeNull();

  slow[0]?.release();
  expect(await permits.acquire(at('hanging'), neverAborted())).not.toBeNull();
});

test('all endpoints of a partner are full while slow sends fill its half, but those of others are not', async () => {
  const permits = createSendPermits(8, 2);
  const slow = [...(await beginSends(permits, 'p/1', 2)), ...(await beginSends(permits, 'p/2', 2))];
  expect(await permits.acquire(at('p/3'), neverAborted())).toBeNull();
  expect(describeAll(await acquireAll(permits, 'p/4', 1))).toEqual(['full']);
  expect(describeAll(await acquireAll(permits, 'q/1', 2))).toEqual(['in', 'in']);
  for (const each of slow) each.release();
  expect(describeAll(await acquireAll(permits, 'p/4', 1))).toEqual(['in']);
});

test('a slow send does not return its permit a second time when it ends', async () => {
  const permits = createSendPermits(1, 2);
  const [slow] = await beginSends(permits, 'slow', 1);
  const second = await permits.acquire(at('b'), neverAborted());
  slow?.release();
  expect(describeAll(await acquireAll(permits, 'c', 1))).toEqual(['waiting']);
  second?.release();
});

test('an endpoint that failed three times in a row gets only its share of sends', async () => {
  const permits = createSendPermits(40, 2);
  const sends = await beginSends(permits, 'failing', 3, 3);
  expect(sends).toHaveLength(2);
  expect(describeAll(await acquireAll(permits, 'failing', 1))).toEqual(['full']);
  expect(await beginSends(permits, 'another', 3, 2)).toHaveLength(3);
});

test('an unhealthy endpoint that is full stays full until a send ends', async () => {
  const permits = createSendPermits(40, 1);
  const [send] = await beginSends(permits, 'failing', 1, 3);
  const rejected = await permits.acquire(at('failing'), neverAborted());
  expect(rejected?.beginSend(3)).toBe(false);
  rejected?.release();
  expect(await permits.acquire(at('failing'), neverAborted())).toBeNull();
  send?.release();
  expect(await beginSends(permits, 'failing', 1, 3)).toHaveLength(1);
});

test('a waiting delivery gets no permit when the process stops', async () => {
  const permits = createSendPermits(1, 2);
  const held = await permits.acquire(at('a'), neverAborted());
  const stop = new AbortController();
  const waiting = permits.acquire(at('b'), stop.signal);
  stop.abort();
  expect(await waiting).toBeNull();
  held?.release();
  expect(describeAll(await acquireAll(permits, 'b', 1))).toEqual(['in']);
});
