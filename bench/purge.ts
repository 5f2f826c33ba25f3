/**
 * `node --import tsx bench/purge.ts`: measures how a purge affects callers. Loads old holds. Then places holds and
 * reads availability at a steady pace, alternately without a purge and while hold expiry purges the old holds. Ends
 * when all old holds are purged. Because the turns alternate, other work of the machine affects both alike. The first
 * and last turns have no purge.
 */

import { setTimeout as delay } from 'node:timers/promises';
import mongoose from 'mongoose';
import type { Reservation } from '../src/reservations/reservations.model.ts';
import type { LoadResult } from './load/load.ts';
import { openBench, say } from './open-bench.ts';
import { slotAt } from './product/slots.ts';
import type { PurgeReport, PurgeWindow } from './purge-report.ts';
import { asMarkdown, asText, isMissed } from './purge-report.ts';
import type { EndedHolds } from './rows/ended-holds.ts';
import { addEndedHolds } from './rows/ended-holds.ts';
import { freshSlots } from './rows/place-holds.ts';
import type { Bench } from './rows/row.ts';
import { runForPage } from './run-for-page.ts';

const USAGE = `node --import tsx bench/purge.ts [options]

  --rows N     holds that ended 40 days ago (500000)
  --seconds N  duration of a window of calls (10)
  --json FILE  writes the figures
  --write      puts the table into docs/evidence/scaling.md
  --check      exits with 1 if a p99 is over 1.5 times as high during the purge
`;

const ENDED_DAYS_AGO = 40;
const RETENTION_DAYS = 30;
const HOLDS_PER_SECOND = 50;
const READS_PER_SECOND = 100;
/** Short, so that partners stay below their limit of active holds and each window finds its slots free. */
const HOLD_TTL_SECONDS = 5;
/** Windows per turn without and with a purge. */
const WINDOWS_WITHOUT = 3;
const WINDOWS_DURING = 8;
/** Calls in the first seconds after a restart are not counted. */
const WARM_SECONDS = 5;
const POLL_MS = 250;
const PURGE_TIMEOUT_MS = 45 * 60_000;

type Db = mongoose.Connection;

/** @throws Error if a call failed. A call that never got a connection has not failed; its wait counts as latency. */
function requireAll({ outcomes, calls }: LoadResult, expected: string): void {
  const notFailed = (outcomes[expected] ?? 0) + (outcomes['not begun'] ?? 0);
  if (notFailed < calls)
    throw new Error(`Not all of ${calls} calls resulted in ${expected}: ${JSON.stringify(outcomes)}`);
}

/** The latencies of one window. */
async function measureWindow(bench: Bench, seconds: number): Promise<{ latency: PurgeWindow; othersShare: number }> {
  const count = Math.ceil(HOLDS_PER_SECOND * seconds);
  const params = freshSlots(bench, count);
  const { port, apiKeys, venue, firstSlot } = params;
  // Read the days of the held slots: each hold makes the cached availability of its day stale.
  const days = new Set(Array.from({ length: count }, (_, n) => slotAt(venue, firstSlot + n).date));
  const paths = [...days].map((day) => `/api/v1/slots/availability?venue_id=${venue.id}&date=${day}`);
  const pace = (perSecond: number) => ({ kind: 'rate', perSecond, seconds }) as const;
  const reading = { step: 'get', params: { port, apiKeys, paths }, pace: pace(READS_PER_SECOND) } as const;
  const [holds, reads] = await Promise.all([
    bench.callProduct({ step: 'place-hold', params, pace: pace(HOLDS_PER_SECOND) }),
    bench.sideLoad.run({ ...reading, callers: apiKeys.length }, {}),
  ]);
  requireAll(holds, '201');
  requireAll(reads, '200');
  return {
    latency: { hold: holds.latencyMs, availability: reads.latencyMs },
    othersShare: Math.max(holds.othersShare, reads.othersShare),
  };
}

/** Restarts hold expiry. Deletes the lock of the retention sweep, so that the purge begins at once. */
async function restartHoldExpiry(bench: Bench, db: Db, retentionDays: number): Promise<void> {
  await bench.product.runWorkers(['webhook-delivery']);
  await db.collection<{ _id: string }>('leases').deleteOne({ _id: 'sweep-retention' });
  await bench.product.runWorkers(['hold-expiry', 'webhook-delivery'], { RETENTION_HOLDS_DAYS: String(retentionDays) });
}

/** Returns a function that computes from the oldest hold how many are left: a purge deletes in order of expiry. */
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

/** `stop` returns the seconds that the purge ran. */
type Watch = { isDone: () => boolean; stop: () => Promise<number> };

/** Watches a purge until no hold is left, or until `stop`. */
function watchPurge(countLeft: () => Promise<number>): Watch {
  const [beganAt, stopping] = [performance.now(), new AbortController()];
  let doneAt: number | undefined;
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      if ((await countLeft()) === 0) {
        doneAt = performance.now();
        return;
      }
      await delay(POLL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const watching = watch();
  watching.catch(() => undefined);
  return {
    isDone: () => doneAt !== undefined,
    stop: async () => {
      stopping.abort();
      await watching;
      return ((doneAt ?? performance.now()) - beganAt) / 1000;
    },
  };
}

type Windows = Pick<PurgeReport, 'without' | 'during' | 'purgeSeconds' | 'othersShare'>;

/** Measures windows without and with a purge in turn, until all holds are purged. */
async function measureAll(bench: Bench, db: Db, ended: EndedHolds, seconds: number): Promise<Windows> {
  const [without, during]: [PurgeWindow[], PurgeWindow[]] = [[], []];
  const countLeft = countingLeft(db, ended);
  let [purgeSeconds, othersShare] = [0, 0];
  const measureInto = async (windows: PurgeWindow[], watch?: Watch): Promise<void> => {
    const window = await measureWindow(bench, seconds);
    // Do not count the window in which the purge ends.
    if (watch?.isDone()) return;
    othersShare = Math.max(othersShare, window.othersShare);
    windows.push(window.latency);
    const { hold, availability } = window.latency;
    const name = windows === during ? 'purging' : 'without';
    say(`${name}: hold p99 ${hold.p99.toFixed(1)} ms, availability p99 ${availability.p99.toFixed(1)} ms`);
  };
  const withoutPurge = async () => {
    await restartHoldExpiry(bench, db, 0);
    await measureWindow(bench, WARM_SECONDS);
    for (let n = 0; n < WINDOWS_WITHOUT; n += 1) await measureInto(without);
  };
  /** Returns the number of holds left. */
  const whilePurging = async (): Promise<number> => {
    await restartHoldExpiry(bench, db, RETENTION_DAYS);
    const watch = watchPurge(countLeft);
    await measureWindow(bench, WARM_SECONDS);
    for (let n = 0; n < WINDOWS_DURING && !watch.isDone(); n += 1) await measureInto(during, watch);
    purgeSeconds += await watch.stop();
    const left = await countLeft();
    say(`${left} of ${ended.count} holds are left after ${purgeSeconds.toFixed(0)} s`);
    return left;
  };
  const endsAt = performance.now() + PURGE_TIMEOUT_MS;
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
