import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { EndpointGate, Visit } from '../../src/sender/send-permits.ts';
import { createEndpointGate, deferralMs } from '../../src/sender/send-permits.ts';

/** After this a send is slow (ADR 0016). */
const SLOW_AFTER_MS = 1000;

/** `a` is the one endpoint of partner a, `a/2` another of its. */
const at = (endpoint: string) => ({ subscriptionId: endpoint, partnerId: endpoint.split('/')[0] ?? '' });

const never = () => new AbortController().signal;

/** What becomes of `count` deliveries to an endpoint: their visits, null where it is full, 'waiting' where none has ended. */
function enterAll(
  gate: EndpointGate,
  endpoint: string,
  count: number,
): Promise<(Visit | null | 'waiting')[]> {
  const entries = Array.from({ length: count }, () => gate.enter(at(endpoint), never()));
  return Promise.all(entries.map((entry) => Promise.race([entry, delay(0, 'waiting' as const)])));
}

const isVisit = (each: Visit | null | 'waiting'): each is Visit => each !== null && each !== 'waiting';
const shown = (entries: (Visit | null | 'waiting')[]) =>
  entries.map((each) => (isVisit(each) ? 'in' : each === null ? 'full' : each));

/** Visits that have begun to send, to an endpoint with so many failures in a row. */
async function sending(gate: EndpointGate, endpoint: string, count: number, failures = 0): Promise<Visit[]> {
  const visits = (await enterAll(gate, endpoint, count)).filter(isVisit);
  return visits.filter((visit) => visit.maySend(failures));
}

test('one endpoint has a quarter of the places; what comes beyond waits its turn, and others find room', async () => {
  const gate = createEndpointGate(8, 2);
  const [first, second, third] = [1, 2, 3].map(() => gate.enter(at('busy'), never()));
  expect(shown(await enterAll(gate, 'another', 2))).toEqual(['in', 'in']);
  expect(await Promise.race([third, delay(0, 'waiting')])).toBe('waiting');

  (await first)?.leave();

  expect(await third).not.toBeNull();
  (await second)?.leave();
});

test('when all places are taken, they go to who waited longest', async () => {
  const gate = createEndpointGate(1, 2);
  const held = await gate.enter(at('a'), never());
  const order: string[] = [];
  const waiting = ['b', 'c', 'd'].map(async (endpoint) => {
    const visit = await gate.enter(at(endpoint), never());
    order.push(endpoint);
    visit?.leave();
  });
  expect(order).toEqual([]);
  held?.leave();
  await Promise.all(waiting);
  expect(order).toEqual(['b', 'c', 'd']);
});

test('an endpoint that answers is never full, however many wait', async () => {
  const gate = createEndpointGate(4, 2);
  let most = 0;
  let inProgress = 0;
  const visits = Array.from({ length: 50 }, async () => {
    const visit = await gate.enter(at('healthy'), never());
    most = Math.max(most, (inProgress += 1));
    expect(visit?.maySend(2)).toBe(true);
    await delay(1);
    inProgress -= 1;
    visit?.leave();
  });
  await Promise.all(visits);
  expect(most).toBe(1);
});

test('a slow send gives its place to another; when all of its quarter is slow, who waits for the endpoint is sent back', async () => {
  const gate = createEndpointGate(8, 2);
  const beganAt = performance.now();
  const slow = await sending(gate, 'hanging', 2);
  expect(shown(await enterAll(gate, 'b', 2))).toEqual(['in', 'in']);
  expect(shown(await enterAll(gate, 'c', 2))).toEqual(['in', 'in']);
  expect(shown(await enterAll(gate, 'd', 2))).toEqual(['in', 'in']);
  const behindIt = gate.enter(at('hanging'), never());
  const another = gate.enter(at('e'), never());

  expect(await behindIt).toBeNull();
  expect(performance.now() - beganAt).toBeGreaterThanOrEqual(SLOW_AFTER_MS - 5);
  expect(await another).not.toBeNull();
  expect(await gate.enter(at('hanging'), never())).toBeNull();

  slow[0]?.leave();
  expect(await gate.enter(at('hanging'), never())).not.toBeNull();
});

test('one partner has half of the places, whatever endpoints it has; others find room', async () => {
  const gate = createEndpointGate(8, 2);
  const entries = await Promise.all(['p/1', 'p/2', 'p/3'].map((endpoint) => enterAll(gate, endpoint, 2)));
  expect(entries.map(shown)).toEqual([
    ['in', 'in'],
    ['in', 'in'],
    ['waiting', 'waiting'],
  ]);
  expect(shown(await enterAll(gate, 'q/1', 2))).toEqual(['in', 'in']);
  expect(shown(await enterAll(gate, 'q/2', 2))).toEqual(['in', 'in']);
});

test('when all of its half is slow, every endpoint of a partner is full until a send has ended; others are not', async () => {
  const gate = createEndpointGate(8, 2);
  const slow = [...(await sending(gate, 'p/1', 2)), ...(await sending(gate, 'p/2', 2))];
  const behind = gate.enter(at('p/3'), never());
  expect(await behind).toBeNull();
  expect(shown(await enterAll(gate, 'p/4', 1))).toEqual(['full']);
  expect(shown(await enterAll(gate, 'q/1', 2))).toEqual(['in', 'in']);
  for (const each of slow) each.leave();
  expect(shown(await enterAll(gate, 'p/4', 1))).toEqual(['in']);
});

test('a place is given up once, by a slow send that ends too', async () => {
  const gate = createEndpointGate(1, 2);
  const [slow] = await sending(gate, 'slow', 1);
  const second = await gate.enter(at('b'), never());
  slow?.leave();
  expect(shown(await enterAll(gate, 'c', 1))).toEqual(['waiting']);
  second?.leave();
});

test('an endpoint that failed three times in a row has its share of sends, and no more', async () => {
  const gate = createEndpointGate(40, 2);
  const sends = await sending(gate, 'failing', 3, 3);
  expect(sends).toHaveLength(2);
  expect(shown(await enterAll(gate, 'failing', 1))).toEqual(['full']);
  expect(await sending(gate, 'another', 3, 2)).toHaveLength(3);
});

test('a refusal is remembered until a send has ended', async () => {
  const gate = createEndpointGate(40, 1);
  const [send] = await sending(gate, 'failing', 1, 3);
  const refused = await gate.enter(at('failing'), never());
  expect(refused?.maySend(3)).toBe(false);
  refused?.leave();
  expect(await gate.enter(at('failing'), never())).toBeNull();
  send?.leave();
  expect(await sending(gate, 'failing', 1, 3)).toHaveLength(1);
});

test('who waits when the process stops waits no longer', async () => {
  const gate = createEndpointGate(1, 2);
  const held = await gate.enter(at('a'), never());
  const stop = new AbortController();
  const waiting = gate.enter(at('b'), stop.signal);
  stop.abort();
  expect(await waiting).toBeNull();
  held?.leave();
  expect(shown(await enterAll(gate, 'b', 1))).toEqual(['in']);
});

test('what was held back comes back within 2 to 6 seconds', () => {
  expect([deferralMs(() => 0), deferralMs(() => 0.9999)]).toEqual([2000, 5999]);
});
