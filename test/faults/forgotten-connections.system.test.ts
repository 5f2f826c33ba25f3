import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { anyPartner, anyVenue, freeSlotIds, type Partner } from '../support/factories.ts';
import { inSeconds } from './figures.ts';
import { type RelayedApi, startRelayedApi } from './relayed-api.ts';
import { report } from './report.ts';
import { type TimedCall, timeCall } from './timed-calls.ts';

/** Concurrent calls of each kind. */
const CALLS = 15;
/** The pool opens two at a time, so their final number depends on the machine's load. */
const FEWEST_FORGOTTEN = 3;
/** Longer than the interval of the driver's monitor, whose connections must not be forgotten. */
const IDLE_MS = 3000;
const LONGEST_MS = 10_000;
const QUICK_MS = 2000;

let api: RelayedApi;
let partner: Partner;
let slots: string[];
beforeAll(async () => {
  api = await startRelayedApi();
  const venue = await anyVenue(api.service, [{ duration_minutes: 15 }]);
  const direct = await anyPartner(api.service, [venue.id]);
  partner = api.through(direct);
  slots = await freeSlotIds(direct, venue.id);
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
  // Slow, so that each concurrent call takes its own connection, which the pool keeps.
  api.relay.delay(100);
  await burst();
  api.relay.delay(0);
  await delay(IDLE_MS + 1000);
  const forgotten = api.relay.forgetIdle(IDLE_MS);
  // Control: several calls meet a dead connection.
  expect(forgotten).toBeGreaterThanOrEqual(FEWEST_FORGOTTEN);

  const [met, next] = [await burst(), await burst()];

  expect(longestOf(met)).toBeLessThan(LONGEST_MS);
  expect(outcomesOf(met.listings)).toEqual(new Set(['200']));
  // A hold whose write met a dead connection may have used up its 3 s when the driver repeats it.
  const placedOrBusy = /^(201|503 SERVICE_UNAVAILABLE)$/;
  for (const outcome of outcomesOf(met.holds)) expect(outcome).toMatch(placedOrBusy);
  // No dead connection is left to delay another call.
  expect([outcomesOf(next.listings), outcomesOf(next.holds)]).toEqual([new Set(['200']), new Set(['201'])]);
  expect(longestOf(next)).toBeLessThan(QUICK_MS);
  report({
    promise: 10,
    experiment: `${forgotten} idle connections of an API to MongoDB are dead, without a reset`,
    count: `${2 * CALLS} calls at the same time, then as many again`,
    result: `answered after ${inSeconds(longestOf(met))} s at most, the next after ${inSeconds(longestOf(next))} s`,
  });
}, 120_000);
