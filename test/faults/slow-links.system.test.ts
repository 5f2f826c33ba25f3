import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { type Partner, placeHold } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { nextDays, startScene } from '../support/scene.ts';
import { type HostedService, hostedService } from '../support/service-host.ts';
import { startTcpRelay, type TcpRelay } from '../support/tcp-relay.ts';
import { endProcesses, startApi } from '../support/worker-process.ts';
import { inSeconds, spread } from './figures.ts';
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

/** Between the API process under test and MongoDB; stands for a failing network. */
let relay: TcpRelay;
/** Another API on the same database, with undisturbed connections. */
let service: HostedService;
/** Calls the API behind the relay. */
let partner: Partner;
let slots: string[];
beforeAll(async () => {
  // Use production's leases, because the tests' own are shorter than a slow response of MongoDB.
  service = await hostedService({ overrides: { CACHE_LEASE_MS: '1000', MAX_ACTIVE_HOLDS: '100000' } });
  const uri = new URL(service.environment['MONGODB_URI'] ?? '');
  relay = await startTcpRelay(Number(uri.port));
  uri.port = String(relay.port);
  // Otherwise the driver connects to the address in the replica set's configuration.
  uri.search = 'directConnection=true';
  const { url } = await startApi({ ...service.environment, MONGODB_URI: uri.toString() });
  const resources = [{ duration_minutes: 15 }, { duration_minutes: 15 }];
  const scene = await startScene(service, { resources, days: nextDays(scaled(10, 6)) });
  partner = { ...scene.partner, api: createClient(url, scene.partner.apiKey) };
  slots = scene.slots;
  // Let the API open connections and cache rules, like one that has been running for a while.
  await placeHold(partner, slots.shift() ?? '');
});
afterEach(() => relay.delay(0));
afterAll(async () => {
  await endProcesses();
  await relay.close();
  await service.stop();
});

type SlotCall = ReturnType<typeof timeCall> & { slotId: string };

/** Places holds at a steady rate without waiting for responses; `stop` resolves when all have an outcome. */
function startHolds(repeatedEvery = Number.POSITIVE_INFINITY) {
  const calls: SlotCall[] = [];
  const stopping = new AbortController();
  const run = async () => {
    for (const beganAtMs = performance.now(); !stopping.signal.aborted; ) {
      const isRepeated = calls.length > 0 && calls.length % repeatedEvery === 0;
      const slotId = isRepeated ? calls.at(-1)?.slotId : slots.shift();
      if (slotId === undefined) throw new Error('There is no slot left to hold');
      const call = timeCall(() => partner.api.post('/api/v1/partner/holds', { slot_id: slotId }));
      calls.push(Object.assign(call, { slotId }));
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
  const rows = await rowsOf(service, 'reservations', { claimed: true });
  return [answered, rows.map(({ slotId }) => slotId)].flatMap((ids) =>
    ids.filter((id, index) => ids.indexOf(id) !== index),
  );
}

test('with a round trip of 60 ms to MongoDB, free slots are sold as usual', async () => {
  relay.delay(30);
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
  relay.delay(120);
  const holds = startHolds(REPEATED_EVERY);
  await delay(SLOW_FOR_MS);
  relay.delay(0);
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
    result: `${spread(holds.calls.map(({ tookMs }) => tookMs))}; normal again ${inSeconds(normalAfterMs)} s after the delay ended, 0 sold twice`,
  });
}, 180_000);

/** Concurrent calls of each kind. */
const CALLS = 15;
/** How many idle connections there are depends on the load: the pool opens two at a time. */
const FEWEST_FORGOTTEN = 3;
/** Longer than the interval of the driver's monitor, so that its connections are not idle. */
const IDLE_MS = 3000;
const ANSWERED_WITHIN_MS = 10_000;

type Burst = { listings: TimedCall[]; holds: TimedCall[] };

/** Lists bookings, each with its own read, and holds free slots, all at the same time. */
async function burst(): Promise<Burst> {
  const listings = Array.from({ length: CALLS }, () => timeCall(() => partner.api.get('/api/v1/bookings')));
  const holds = slots
    .splice(0, CALLS)
    .map((slot_id) => timeCall(() => partner.api.post('/api/v1/partner/holds', { slot_id })));
  await Promise.all([...listings, ...holds].map(({ done }) => done));
  return { listings, holds };
}

const outcomesOf = (calls: readonly TimedCall[]) => new Set(calls.map(({ outcome }) => outcome));
const longestOf = ({ listings, holds }: Burst): number =>
  Math.max(...[...listings, ...holds].map(({ tookMs }) => tookMs));

test('when a firewall has forgotten the idle connections to MongoDB, calls are answered within 10 s, and the next ones as usual', async () => {
  // A slow link makes each concurrent call take its own connection, which the pool keeps.
  relay.delay(100);
  await burst();
  relay.delay(0);
  await delay(IDLE_MS + 1000);
  const forgotten = relay.forgetIdle(IDLE_MS);
  // Control: several calls will use a dead connection.
  expect(forgotten).toBeGreaterThanOrEqual(FEWEST_FORGOTTEN);

  const [onDeadConnections, next] = [await burst(), await burst()];

  expect(longestOf(onDeadConnections)).toBeLessThan(ANSWERED_WITHIN_MS);
  expect(outcomesOf(onDeadConnections.listings)).toEqual(new Set(['200']));
  // A hold has 3 s. If its write used a dead connection, they may be over before the driver repeats the write.
  const placedOrBusy = /^(201|503 SERVICE_UNAVAILABLE)$/;
  for (const outcome of outcomesOf(onDeadConnections.holds)) expect(outcome).toMatch(placedOrBusy);
  // No dead connection is left to delay another call.
  expect([outcomesOf(next.listings), outcomesOf(next.holds)]).toEqual([new Set(['200']), new Set(['201'])]);
  expect(longestOf(next)).toBeLessThan(NORMAL.withinMs);
  report({
    promise: 10,
    experiment: `${forgotten} idle connections of an API to MongoDB die without a reset`,
    count: `${2 * CALLS} concurrent calls, then as many again`,
    result: `first calls got responses after at most ${inSeconds(longestOf(onDeadConnections))} s, later calls after ${inSeconds(longestOf(next))} s`,
  });
}, 120_000);
