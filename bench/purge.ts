/**
 * `node --import tsx bench/purge.ts`: measures how a purge affects callers. Places holds and reads availability at a
 * steady pace while hold expiry purges loaded holds, and while it keeps everything. Alternates between the two until
 * all are purged, so that other work of the machine affects both alike; it begins and ends without a purge.
 */

import { setTimeout as delay } from 'node:timers/promises';
import mongoose from 'mongoose';
import type { Reservation } from '../src/reservations/reservations.model.ts';
import type { Loaded } from './load/load.ts';
import { openBench, say } from './open-bench.ts';
import { slotAt, slotCount } from './product/slots.ts';
import type { PurgeReport, PurgeWindow } from './purge-report.ts';
import { asMarkdown, asText, isMissed } from './purge-report.ts';
import type { EndedHolds } from './rows/ended-holds.ts';
import { addEndedHolds } from './rows/ended-holds.ts';
import type { Bench } from './rows/row.ts';
import { runForPage } from './run-for-page.ts';

const USAGE = `node --import tsx bench/purge.ts [options]

  --rows N     holds that ended 40 days ago (500000)
  --seconds N  duration of a window of calls (10)
  --json FILE  writes the figures
  --write      puts the table into docs/evidence/scaling.md
  --check      exits with 1 if a p99 is more than 1.5 times as high
`;

const ENDED_DAYS_AGO = 40;
const KEPT_DAYS = 30;
const HOLDS_PER_SECOND = 50;
const READS_PER_SECOND = 100;
/** Short, so that partners stay below their limit of active holds and each window finds its slots free. */
const HOLD_TTL_SECONDS = 5;
/** Windows per turn. */
const WITHOUT = 3;
const DURING = 8;
/** The first calls after a start are not counted. */
const WARM_SECONDS = 5;
const POLL_MS = 250;
const PURGED_WITHIN_MS = 45 * 60_000;

type Db = mongoose.Connection;

/** Throws if a call failed. Calls that waited for a connection until the end count with that time. */
function requireAll({ outcomes, calls }: Loaded, expected: string): void {
  const good = (outcomes[expected] ?? 0) + (outcomes['not begun'] ?? 0);
  if (good < calls) throw new Error(`Not all of ${calls} calls resulted in ${expected}: ${JSON.stringify(outcomes)}`);
}

/** The latencies of one window. */
async function measureWindow(bench: Bench, seconds: number): Promise<{ latency: PurgeWindow; othersShare: number }> {
  const { product, apiKeys, venue } = bench;
  const count = Math.ceil(HOLDS_PER_SECOND * seconds);
  const first = bench.takeSlots(count) % slotCount(venue);
  // The days of the held slots: each hold makes their availability be read anew.
  const days = new Set(Array.from({ length: count }, (_, n) => slotAt(venue, first + n).date));
  const paths = [...days].map((day) => `/api/v1/slots/availability?venue_id=${venue.id}&date=${day}`);
  const pace = (perSecond: number) => ({ kind: 'rate', perSecond, seconds }) as const;
  const called = { port: product.port, apiKeys };
  const reading = { step: 'get', params: { ...called, paths }, pace: pace(READS_PER_SECOND) } as const;
  const [holds, reads] = await Promise.all([
    bench.callProduct({
      step: 'place-hold',
      params: { ...called, venue, first },
      pace: pace(HOLDS_PER_SECOND),
    }),
    bench.side.run({ ...reading, callers: apiKeys.length }, {}),
  ]);
  requireAll(holds, '201');
  requireAll(reads, '200');
  return {
    latency: { hold: holds.latencyMs, availability: reads.latencyMs },
    othersShare: Math.max(holds.othersShare, reads.othersShare),
  };
}

/** Restarts hold expiry with this retention. Deletes the sweep's lock, so that it purges at once. */
async function restartHoldExpiry(bench: Bench, db: Db, days: number): Promise<void> {
  await bench.product.runWorkers(['webhook-delivery']);
  await db.collection<{ _id: string }>('leases').deleteOne({ _id: 'sweep-retention' });
  await bench.product.runWorkers(['hold-expiry', 'webhook-delivery'], { RETENTION_HOLDS_DAYS: String(days) });
}

/** Returns a function that counts the holds left. They are purged in the order of their expiry. */
function countingLeft(db: Db, { firstAt, stepMs, count }: EndedHolds): () => Promise<number> {
  const end = new Date(firstAt.getTime() + count * stepMs);
  let from = firstAt;
  return async () => {
    const [oldest] = await db
      .collection<Reservation>('reservations')
      .find({ status: 'RELEASED', holdExpiresAt: { $gte: from, $lt: end } })
      .sort({ holdExpiresAt: 1 })
      .hint('ended_holds')
      .limit(1)
      .toArray();
    from = oldest?.holdExpiresAt ?? end;
    return Math.round((end.getTime() - from.getTime()) / stepMs);
  };
}

type Watch = { isGone: () => boolean; stop: () => Promise<number> };

/** Watches a purge until no hold is left or `stop`, which returns how many seconds it purged. */
function watchPurge(countLeft: () => Promise<number>): Watch {
  const [beganAt, stopping] = [performance.now(), new AbortController()];
  let goneAt: number | undefined;
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      if ((await countLeft()) === 0) {
        goneAt = performance.now();
        return;
      }
      await delay(POLL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const watched = watch();
  watched.catch(() => undefined);
  return {
    isGone: () => goneAt !== undefined,
    stop: async () => {
      stopping.abort();
      await watched;
      return ((goneAt ?? performance.now()) - beganAt) / 1000;
    },
  };
}

type Measured = Pick<PurgeReport, 'without' | 'during' | 'purgeSeconds' | 'othersShare'>;

/** Measures without and with a purge in turn, until all holds are purged. */
async function measureAll(bench: Bench, db: Db, ended: EndedHolds, seconds: number): Promise<Measured> {
  const [without, during]: [PurgeWindow[], PurgeWindow[]] = [[], []];
  const countLeft = countingLeft(db, ended);
  let [purgeSeconds, othersShare] = [0, 0];
  const measureInto = async (windows: PurgeWindow[], watch?: Watch): Promise<void> => {
    const window = await measureWindow(bench, seconds);
    // Do not count the window in which the purge ends.
    if (watch?.isGone()) return;
    othersShare = Math.max(othersShare, window.othersShare);
    windows.push(window.latency);
    const { hold, availability } = window.latency;
    const name = windows === during ? 'purging' : 'without';
    say(`${name}: hold p99 ${hold.p99.toFixed(1)} ms, availability p99 ${availability.p99.toFixed(1)} ms`);
  };
  const withoutPurge = async () => {
    await restartHoldExpiry(bench, db, 0);
    await measureWindow(bench, WARM_SECONDS);
    for (let n = 0; n < WITHOUT; n += 1) await measureInto(without);
  };
  /** Returns the number of holds left. */
  const whilePurging = async (): Promise<number> => {
    await restartHoldExpiry(bench, db, KEPT_DAYS);
    const watch = watchPurge(countLeft);
    await measureWindow(bench, WARM_SECONDS);
    for (let n = 0; n < DURING && !watch.isGone(); n += 1) await measureInto(during, watch);
    purgeSeconds += await watch.stop();
    const left = await countLeft();
    say(`${left} of ${ended.count} holds are left after ${purgeSeconds.toFixed(0)} s`);
    return left;
  };
  const endsAt = performance.now() + PURGED_WITHIN_MS;
  await withoutPurge();
  for (let left = ended.count; left > 0; ) {
    if (performance.now() > endsAt) throw new Error(`${left} holds were not purged in time`);
    left = await whilePurging();
    await withoutPurge();
  }
  if (during.length === 0)
    throw new Error('The purge ended within the first window: take more --rows, or fewer --seconds');
  return { without, during, purgeSeconds, othersShare };
}

await runForPage({
  name: 'purge',
  usage: USAGE,
  asText,
  asMarkdown,
  isMissed,
  counts: { rows: 500_000, seconds: 10 },
  texts: [],
  measure: async ({ rows, seconds: windowSeconds }, onStop) => {
    const options = {
      runs: 1,
      seconds: windowSeconds,
      bookings: 0,
      profile: undefined,
      settings: { HOLD_TTL_SECONDS: String(HOLD_TTL_SECONDS) },
    };
    const bench = await openBench(options, onStop);
    const db = mongoose.createConnection(bench.product.mongodbUri, { autoIndex: false, autoCreate: false });
    onStop(() => db.close());
    await db.asPromise();
    const loadBeganAt = performance.now();
    const ended = await addEndedHolds(bench, rows, ENDED_DAYS_AGO);
    const loadSeconds = (performance.now() - loadBeganAt) / 1000;
    say(`${rows} holds that ended ${ENDED_DAYS_AGO} days ago loaded in ${loadSeconds.toFixed(0)} s`);
    return {
      rows,
      windowSeconds,
      loadSeconds,
      ...(await measureAll(bench, db, ended, windowSeconds)),
      holdsPerSecond: HOLDS_PER_SECOND,
      readsPerSecond: READS_PER_SECOND,
    };
  },
});
