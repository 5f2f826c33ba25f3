import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createSendPermits, type SendPermit, type SendPermits } from '../../src/webhooks/sender/send-permits.ts';
import { integerBetween, mulberry32, pick, propertySeed } from '../support/random.ts';

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

const LIMIT = 12;
const [ENDPOINT_LIMIT, PARTNER_LIMIT] = [LIMIT / 4, LIMIT / 2];
const STEPS = 3000;

type Delivery = { id: number; partnerId: string; subscriptionId: string };

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('no endpoint or partner exceeds its share, no permit stays idle while a delivery may use it, and each endpoint is served in order', async () => {
  const random = mulberry32(propertySeed());
  const permits = createSendPermits(LIMIT, 2);
  const held = new Map<Delivery, SendPermit>();
  const waiting = new Map<Delivery, AbortController>();
  const countHeld = (field: 'partnerId' | 'subscriptionId', value: string) =>
    [...held.keys()].filter((each) => each[field] === value).length;
  const hasRoom = ({ partnerId, subscriptionId }: Delivery) =>
    countHeld('subscriptionId', subscriptionId) < ENDPOINT_LIMIT && countHeld('partnerId', partnerId) < PARTNER_LIMIT;
  let longestQueue = 0;
  for (let step = 0; step < STEPS; step += 1) {
    // Phases with more arrivals than departures alternate with the opposite.
    const arrivalShare = Math.floor(step / 200) % 2 === 0 ? 0.7 : 0.3;
    if (random() < arrivalShare || held.size === 0) {
      const partnerId = `p${integerBetween(random, 1, 4)}`;
      const subscriptionId = `${partnerId}/${integerBetween(random, 1, 3)}`;
      const delivery = { id: step, partnerId, subscriptionId };
      const stop = new AbortController();
      waiting.set(delivery, stop);
      void permits.acquire(delivery, stop.signal).then((permit) => {
        waiting.delete(delivery);
        if (permit === null) return;
        const earlier = [...waiting.keys()].find((each) => each.subscriptionId === subscriptionId);
        expect(earlier?.id ?? step).toBeGreaterThanOrEqual(delivery.id);
        held.set(delivery, permit);
      });
    } else if (random() < 0.2 && waiting.size > 0) {
      waiting.get(pick(random, [...waiting.keys()]))?.abort();
    } else {
      const delivery = pick(random, [...held.keys()]);
      held.get(delivery)?.release();
      held.delete(delivery);
    }
    await settled();
    longestQueue = Math.max(longestQueue, waiting.size);
    const over = [...held.keys()].filter(
      ({ partnerId, subscriptionId }) =>
        countHeld('subscriptionId', subscriptionId) > ENDPOINT_LIMIT ||
        countHeld('partnerId', partnerId) > PARTNER_LIMIT,
    );
    const idle = held.size < LIMIT ? [...waiting.keys()].filter(hasRoom) : [];
    expect({ step, isOver: held.size > LIMIT, over, idle }).toEqual({ step, isOver: false, over: [], idle: [] });
  }
  expect(longestQueue).toBeGreaterThan(50);
});

test('endpoints with waiting deliveries take turns, however many wait for one', async () => {
  const permits = createSendPermits(1, 2);
  const order: string[] = [];
  const sends = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(async (name) => {
    const permit = await permits.acquire(at(name.slice(0, 1)), neverAborted());
    order.push(name);
    await settled();
    permit?.release();
  });
  await Promise.all(sends);
  expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
});
