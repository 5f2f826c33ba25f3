import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Partner } from '../support/factories.ts';
import { startScene } from '../support/scene.ts';
import { inSeconds } from './figures.ts';
import { type RelayedApi, startRelayedApi } from './relayed-api.ts';
import { report } from './report.ts';
import { type TimedCall, timeCall } from './timed-calls.ts';

/** Concurrent calls of each kind. */
const CALLS = 15;
/** How many idle connections there are depends on the load: the pool opens two at a time. */
const FEWEST_FORGOTTEN = 3;
/** Longer than the interval of the driver's monitor, so that its connections are not idle. */
const IDLE_MS = 3000;
const LONGEST_MS = 10_000;
const QUICK_MS = 2000;

let api: RelayedApi;
let partner: Partner;
let slots: string[];
beforeAll(async () => {
  api = await startRelayedApi();
  const scene = await startScene(api.service, { resources: [{ duration_minutes: 15 }] });
  partner = api.through(scene.partner);
  slots = scene.slots;
});
afterAll(() => api.stop());

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
  api.relay.delay(100);
  await burst();
  api.relay.delay(0);
  await delay(IDLE_MS + 1000);
  const forgotten = api.relay.forgetIdle(IDLE_MS);
  // Control: several calls will use a dead connection.
  expect(forgotten).toBeGreaterThanOrEqual(FEWEST_FORGOTTEN);

  const [onDeadConnections, next] = [await burst(), await burst()];

  expect(longestOf(onDeadConnections)).toBeLessThan(LONGEST_MS);
  expect(outcomesOf(onDeadConnections.listings)).toEqual(new Set(['200']));
  // A hold has 3 s. If its write used a dead connection, they may be over before the driver repeats the write.
  const placedOrBusy = /^(201|503 SERVICE_UNAVAILABLE)$/;
  for (const outcome of outcomesOf(onDeadConnections.holds)) expect(outcome).toMatch(placedOrBusy);
  // No dead connection is left to delay another call.
  expect([outcomesOf(next.listings), outcomesOf(next.holds)]).toEqual([new Set(['200']), new Set(['201'])]);
  expect(longestOf(next)).toBeLessThan(QUICK_MS);
  report({
    promise: 10,
    experiment: `${forgotten} idle connections of an API to MongoDB die without a reset`,
    count: `${2 * CALLS} concurrent calls, then as many again`,
    result: `responses after at most ${inSeconds(longestOf(onDeadConnections))} s, then ${inSeconds(longestOf(next))} s`,
  });
}, 120_000);
