/**
 * `node --import tsx bench/large.ts`: measures the service with nearly empty databases, then with a million past
 * reservations in MongoDB and a million delayed jobs in Redis. Goal: nothing takes more than twice as long. Both are
 * measured in one run, so that the ratios hold on any machine. Loading takes about four minutes, the rest one.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { Queue } from 'bullmq';
import mongoose from 'mongoose';
import { newId } from '../src/platform/ids.ts';
import { asMarkdown, asText, isMissed } from './large-report.ts';
import { openBench, say } from './open-bench.ts';
import { copyOf } from './product/copies.ts';
import { WORKERS } from './product/product.ts';
import { dateOfDay } from './product/slots.ts';
import { addPastBookings } from './rows/past-bookings.ts';
import { placeHolds } from './rows/place-holds.ts';
import type { Bench } from './rows/row.ts';
import { runForPage } from './run-for-page.ts';
import { median } from './statistics.ts';

const USAGE = `node --import tsx bench/large.ts [options]

  --rows N     number of reservations and of delayed jobs (1000000)
  --runs N     measurements of each figure; the median counts (3)
  --json FILE  writes the figures
  --write      puts the table into docs/evidence/scaling.md
  --check      exits with 1 if something takes more than twice as long
`;
const JOBS_AT_A_TIME = 2000;
const FEW_BOOKINGS = 1000;
const DUE_HOLDS = 2000;
const TIMEOUT_MS = 120_000;
const DAY_MS = 86_400_000;

/** Median milliseconds by measurement. */
type Times = Record<string, number>;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const beganAt = performance.now();
  await work();
  return performance.now() - beganAt;
}

/** Milliseconds that the hold expiry sweep takes to expire due holds that have no job. */
async function sweepDueHolds({ contents, product, venue, partnerIds, takeSlots }: Bench): Promise<number> {
  const firstSlot = takeSlots(DUE_HOLDS);
  const { outboxSince: _since, ...hold } = contents.originals.hold;
  const dueHolds = Array.from({ length: DUE_HOLDS }, (_, n) => ({
    ...copyOf(hold, { venue, partnerIds }, firstSlot + n),
    outbox: [],
    holdExpiresAt: new Date(Date.now() - 60_000),
  }));
  await product.runWorkers(['hold-expiry']);
  product.freeze(['hold-expiry']);
  // The holds of the previous measurement may have the same ordinals, which must be unique for each partner.
  await contents.clearHolds();
  await contents.insert('reservations', dueHolds);
  return timed(async () => {
    product.thaw(['hold-expiry']);
    if (!(await contents.untilNoneActive(TIMEOUT_MS))) throw new Error('Due holds were not expired in time');
  });
}

/** Milliseconds from the start of another API process until its `/readyz` is 200. Ends the process. */
async function timeApiStart({ product }: Bench): Promise<number> {
  const beganAt = performance.now();
  const { url, stop } = await product.addApi();
  try {
    while ((await fetch(`${url}/readyz`)).status !== 200) {
      if (performance.now() - beganAt > TIMEOUT_MS) throw new Error('An API process was not ready in time');
      await delay(20);
    }
    return performance.now() - beganAt;
  } finally {
    await stop();
  }
}

async function measure(bench: Bench, runs: number): Promise<Times> {
  const { product, apiKeys, venue } = bench;
  const all: Record<string, number[]> = {};
  const note = (name: string, ms: number) => (all[name] ??= []).push(ms);
  const day = `/api/v1/slots/availability?venue_id=${venue.id}&date=${dateOfDay(2)}`;
  const headers = { 'X-API-Key': apiKeys[0] ?? '' };
  for (let run = 0; run < runs; run += 1) {
    await product.runWorkers([]);
    note('start of api until /readyz', await timeApiStart(bench));
    for (const name of WORKERS) note(`start of ${name}`, await timed(() => product.runWorkers([name])));
    note('sweep of 2,000 overdue holds', await sweepDueHolds(bench));
    await product.runWorkers([]);
    note('hold', 1000 / (await placeHolds(bench, { keepBookings: true })()).perSecond);
    const params = { port: product.port, apiKeys, paths: [day] };
    note('availability', 1000 / (await bench.callProduct({ step: 'get', params })).perSecond);
    note('page of bookings', await timed(() => fetch(`${product.url}/api/v1/bookings?limit=50`, { headers })));
    note('/metrics', await timed(() => fetch(`${product.adminUrl}/metrics`).then((response) => response.text())));
    await delay(300);
  }
  return Object.fromEntries(Object.entries(all).map(([name, values]) => [name, median(values)]));
}

async function addDelayedJobs(redisUrl: string, count: number): Promise<void> {
  const queue = new Queue('hold-expiry', { connection: { url: redisUrl }, prefix: '{pbs}' });
  for (let from = 0; from < count; from += JOBS_AT_A_TIME) {
    const jobs = Array.from({ length: Math.min(JOBS_AT_A_TIME, count - from) }, (_, n) => ({
      name: 'expire hold · any',
      data: { hold_id: newId(), slot_id: 'any', venue_id: 'any', expires_at: new Date(0).toISOString() },
      opts: { jobId: `large-${from + n}`, delay: DAY_MS + from + n },
    }));
    await queue.addBulk(jobs);
  }
  await queue.close();
}

await runForPage({
  name: 'large',
  usage: USAGE,
  asText,
  asMarkdown,
  isMissed,
  counts: { rows: 1_000_000, runs: 3 },
  texts: [],
  measure: async ({ rows, runs }, onStop) => {
    const bench = await openBench({ runs, seconds: 1.5, bookings: rows, profile: undefined }, onStop);
    await addPastBookings(bench, 0, FEW_BOOKINGS);
    await measure(bench, 1);
    const few = await measure(bench, runs);
    const loadedMs = await timed(async () => {
      await addPastBookings(bench, FEW_BOOKINGS, rows);
      say(`${rows} reservations loaded`);
      await addDelayedJobs(bench.product.redisUrl, rows);
      say(`${rows} jobs loaded`);
    });
    const many = await measure(bench, runs);
    const db = mongoose.createConnection(bench.product.mongodbUri);
    onStop(() => db.close());
    await db.asPromise();
    const stats = (await db.db?.command({ collStats: 'reservations' })) ?? {};
    const bytes = Number(stats['storageSize']) + Number(stats['totalIndexSize']);
    return { rows, few, many, loadSeconds: loadedMs / 1000, bytesPerReservation: bytes / rows };
  },
});
