import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { type Partner, placeHold } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { nextDays, startScene } from '../support/scene.ts';
import { inSeconds, spread } from './figures.ts';
import { type RelayedApi, startRelayedApi } from './relayed-api.ts';
import { report } from './report.ts';
import { type TimedCall, timeCall } from './timed-calls.ts';

const PER_SECOND = 20;
/** Every fifth call is for the slot of the call before. */
const REPEATED_EVERY = 5;
const SLOW_FOR_MS = scaled(15_000, 6000);
const LONGEST_MS = 12_000;
const NORMAL_WITHIN_MS = scaled(10_000, 60_000);
/** Service is normal once this many consecutive calls each took less than this time. */
const NORMAL = { calls: PER_SECOND, withinMs: 2000 };

let api: RelayedApi;
let partner: Partner;
let slots: string[];
beforeAll(async () => {
  api = await startRelayedApi();
  const resources = [{ duration_minutes: 15 }, { duration_minutes: 15 }];
  const scene = await startScene(api.service, { resources, days: nextDays(scaled(10, 6)) });
  partner = api.through(scene.partner);
  slots = scene.slots;
  // Let the API open connections and cache rules, like one that has been running for a while.
  await placeHold(partner, slots.shift() ?? '');
});
afterEach(() => api.relay.delay(0));
afterAll(() => api.stop());

type SlotCall = TimedCall & { slotId: string; isRepeated: boolean; done: Promise<unknown> };

/** Places holds at a steady rate without waiting for responses; `stop` resolves when all have an outcome. */
function startHolds(repeatedEvery = Number.POSITIVE_INFINITY) {
  const calls: SlotCall[] = [];
  const stopping = new AbortController();
  const run = async () => {
    for (const beganAtMs = performance.now(); !stopping.signal.aborted; ) {
      const before = calls.at(-1);
      const isRepeated = before !== undefined && calls.length % repeatedEvery === 0;
      const slotId = isRepeated ? before.slotId : slots.shift();
      if (slotId === undefined) throw new Error('There is no slot left to hold');
      const call = timeCall(() => partner.api.post('/api/v1/partner/holds', { slot_id: slotId }));
      calls.push(Object.assign(call, { slotId, isRepeated }));
      await delay(beganAtMs + (calls.length * 1000) / PER_SECOND - performance.now());
    }
  };
  const running = run();
  return {
    calls,
    stop: async () => {
      stopping.abort();
      await running;
      await Promise.all(calls.map(({ done }) => done));
    },
  };
}

const isQuickSale = ({ outcome = '', tookMs }: TimedCall): boolean =>
  /^(201|409 .*)$/.test(outcome) && tookMs < NORMAL.withinMs;

/** Whether service has been normal since `sinceMs`. */
function hasNormalService(calls: readonly TimedCall[], sinceMs: number): boolean {
  let inARow = 0;
  return calls
    .filter(({ beganAtMs }) => beganAtMs >= sinceMs)
    .some((call) => {
      inARow = isQuickSale(call) ? inARow + 1 : 0;
      return inARow >= NORMAL.calls;
    });
}

const countOutcomes = (calls: readonly TimedCall[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { outcome = 'in progress' } of calls) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
};

/** Slots sold to two callers, by the responses or the database. */
async function soldTwice(calls: readonly SlotCall[]): Promise<string[]> {
  const answered = calls.filter(({ outcome }) => outcome === '201').map(({ slotId }) => slotId);
  const rows = await rowsOf(api.service, 'reservations', { claimed: true });
  return [answered, rows.map(({ slotId }) => slotId)].flatMap((ids) =>
    ids.filter((id, index) => ids.indexOf(id) !== index),
  );
}

test('with a round trip of 60 ms to MongoDB, free slots are sold as usual', async () => {
  api.relay.delay(30);
  const holds = startHolds();
  await delay(scaled(15_000, 5000));
  await holds.stop();

  const sold = holds.calls.filter(({ outcome }) => outcome === '201');
  expect(sold.length / holds.calls.length).toBeGreaterThan(0.99);
  report({
    promise: 10,
    experiment: `a round trip of 60 ms between an API and MongoDB, ${PER_SECOND} holds of free slots a second`,
    count: `${holds.calls.length} holds`,
    result: `${sold.length} placed; ${spread(holds.calls.map(({ tookMs }) => tookMs))}`,
  });
}, 120_000);

test('while every packet to and from MongoDB takes 120 ms, no call takes longer than 12 s; then sales are soon normal', async () => {
  api.relay.delay(120);
  const holds = startHolds(REPEATED_EVERY);
  await delay(SLOW_FOR_MS);
  api.relay.delay(0);
  const healedAtMs = performance.now();
  const isNormal = () => hasNormalService(holds.calls, healedAtMs);
  // Go on after a timeout: the outcomes below say more.
  await eventually('sales are normal again', isNormal, NORMAL_WITHIN_MS).catch(() => undefined);
  const normalAfterMs = performance.now() - healedAtMs;
  await holds.stop();

  const outcomes = countOutcomes(holds.calls);
  const longestMs = Math.max(...holds.calls.map(({ tookMs }) => tookMs));
  const allowed = ['201', '409 SLOT_NOT_AVAILABLE', '503 SERVICE_UNAVAILABLE'];
  expect(Object.entries(outcomes).filter(([outcome]) => !allowed.includes(outcome))).toEqual([]);
  expect(longestMs).toBeLessThan(LONGEST_MS);
  expect(isNormal()).toBe(true);
  expect(await soldTwice(holds.calls)).toEqual([]);
  report({
    promise: 10,
    experiment: `120 ms delay each way between an API and MongoDB for ${inSeconds(SLOW_FOR_MS)} s under ${PER_SECOND} holds a second at one venue`,
    count: `${holds.calls.length} holds: ${Object.entries(outcomes)
      .map(([outcome, count]) => `${count} × ${outcome}`)
      .join(', ')}`,
    result: `${spread(holds.calls.map(({ tookMs }) => tookMs))}; normal again ${inSeconds(normalAfterMs)} s after the delay, 0 sold twice`,
  });
}, 180_000);
