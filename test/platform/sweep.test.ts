import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { acquireLock, releaseLock } from '../../src/platform/locks.store.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createDb, openDb } from '../../src/platform/mongo-connection.ts';
import { processMetrics } from '../../src/platform/process-metrics.ts';
import { keepSweeping, sweepBatches } from '../../src/platform/sweep.ts';
import { eventually } from '../support/eventually.ts';
import { databaseUri, freshName } from '../support/service-environment.ts';

const db = createDb();
await openDb(db, databaseUri(freshName()), createLogger('sweep', 'silent'), new AbortController().signal);
afterAll(async () => {
  await db.dropDatabase();
  await db.close();
});

/** `pages`: pages swept. `rounds`: tries to sweep, with or without the lock. */
type TestSweep = { pages(): number; rounds(): number; stop(): Promise<void> };
const sweeps: TestSweep[] = [];
afterEach(async () => {
  for (const each of sweeps.splice(0)) await each.stop();
});

/** Starts a sweep that runs every 10 ms. */
function sweep(name: string, page: () => Promise<void> = () => Promise.resolve()): TestSweep {
  const stopping = new AbortController();
  let [pages, rounds] = [0, 0];
  const run = async () => {
    pages += 1;
    await page();
    return { count: 0 };
  };
  const log = createLogger('sweep', 'silent');
  const ended = keepSweeping(db, { name, everyMs: 10, run }, log, stopping.signal, () => {
    rounds += 1;
  });
  const stop = async () => {
    stopping.abort();
    await ended;
  };
  const started = { pages: () => pages, rounds: () => rounds, stop };
  sweeps.push(started);
  return started;
}

async function gaugeOf(metric: string, sweepName: string): Promise<number> {
  const { values } = (await processMetrics(db).getSingleMetric(metric)?.get()) ?? { values: [] };
  const found = values.find(({ labels }) => labels['sweep'] === sweepName);
  if (found === undefined) throw new Error(`There is no ${metric} of ${sweepName}`);
  return found.value;
}
const lastRunOf = (name: string) => gaugeOf('sweep_last_run_timestamp_seconds', name);

/** Waits for three more rounds. */
async function moreRounds({ rounds }: TestSweep): Promise<void> {
  const before = rounds();
  await eventually('three more rounds', () => rounds() >= before + 3);
}

describe('the metric of a sweep’s last run', () => {
  test('has the Unix time of the first try, then of each run; another metric has the interval', async () => {
    const beganAt = Date.now() / 1000;
    const made = sweep('runs');
    expect(await lastRunOf('runs')).toBeGreaterThan(beganAt - 5);
    expect(await gaugeOf('sweep_interval_seconds', 'runs')).toBe(0.01);
    await eventually('it has run', () => made.pages() > 0);
    const noted = await lastRunOf('runs');
    await eventually('the next run is noted', async () => (await lastRunOf('runs')) > noted);
    expect(await lastRunOf('runs')).toBeLessThan(Date.now() / 1000 + 5);
  });

  test('does not advance while another process has the lock, and advances afterwards', async () => {
    // The first call creates the lock, which ends at once; the second acquires it.
    for (const _call of [1, 2]) expect(await acquireLock(db, 'sweep-leased', 'another', 600_000)).toBe(true);
    const made = sweep('leased');
    const noted = await lastRunOf('leased');
    await moreRounds(made);
    expect([made.pages(), await lastRunOf('leased')]).toEqual([0, noted]);
    await releaseLock(db, 'sweep-leased', 'another');
    await eventually('its run is noted', async () => (await lastRunOf('leased')) > noted);
  });

  test('does not advance while each run fails', async () => {
    const made = sweep('fails', () => Promise.reject(new Error('no')));
    const noted = await lastRunOf('fails');
    await moreRounds(made);
    expect(made.pages()).toBeGreaterThan(0);
    expect(await lastRunOf('fails')).toBe(noted);
  });
});

type Lock = { until: Date; leftMs: number };
const findLock = async (name: string) => {
  const leftMs = { $subtract: ['$until', '$$NOW'] };
  const [lock = { until: new Date(0), leftMs: 0 }] = await db
    .collection('leases')
    .aggregate<Lock>([{ $match: { _id: `sweep-${name}` } }, { $project: { until: 1, leftMs } }])
    .toArray();
  return lock;
};

test('the lock of a sweep is renewed for each page, and outlasts a killed process by at most two minutes', async () => {
  const stopping = new AbortController();
  const locks: Lock[] = [];
  const run = async () => {
    locks.push(await findLock('hourly'));
    return locks.length < 3 ? { count: 0, next: locks.length } : { count: 0 };
  };
  const hourly = { name: 'hourly', everyMs: 3_600_000, run };
  // The lock of another process, which has expired: the sweep takes it over.
  await acquireLock(db, 'sweep-hourly', 'another', 0);
  const ended = keepSweeping(db, hourly, createLogger('sweep', 'silent'), stopping.signal);
  await eventually('all pages are done', () => locks.length === 3);
  stopping.abort();
  await ended;
  const untils = locks.map(({ until }) => until.getTime());
  expect(untils).toEqual([...new Set(untils)].toSorted((a, b) => a - b));
  expect(Math.min(...locks.map(({ leftMs }) => leftMs))).toBeGreaterThan(60_000);
  expect(Math.max(...locks.map(({ leftMs }) => leftMs))).toBeLessThanOrEqual(120_000);
});

test('items are processed 200 at a time; a failed batch is reported with its error and does not stop the next', async () => {
  const failed: [number, string][] = [];
  const sizes: number[] = [];
  const count = await sweepBatches(
    Array.from({ length: 450 }, (_, index) => index),
    new AbortController().signal,
    (batch) => {
      sizes.push(batch.length);
      return batch[0] === 200 ? Promise.reject(new Error('no')) : Promise.resolve(batch.length);
    },
    (err, batch) => failed.push([batch.length, (err as Error).message]),
  );
  expect([count, sizes, failed]).toEqual([250, [200, 200, 50], [[200, 'no']]]);
});
