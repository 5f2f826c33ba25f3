import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { acquireLock, releaseLock } from '../../src/platform/locks.store.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createDb, openDb } from '../../src/platform/mongo-connection.ts';
import { processMetrics } from '../../src/platform/process-metrics.ts';
import { keepSweeping, sweepBatches, sweepEach } from '../../src/platform/sweep.ts';
import { eventually } from '../support/eventually.ts';
import { databaseUri, freshName } from '../support/service-environment.ts';

const db = createDb();
await openDb(db, databaseUri(freshName()), createLogger('sweep', 'silent'), new AbortController().signal);
afterAll(async () => {
  await db.dropDatabase();
  await db.close();
});

type Sweeping = { name: string; ran(): number; rounds(): number; stop(): Promise<void> };
const sweeping: Sweeping[] = [];
afterEach(async () => {
  for (const each of sweeping.splice(0)) await each.stop();
});

/** Sweeps every 10 ms; counts pages, and rounds with or without the lock. */
function sweep(name: string, page: () => Promise<void> = () => Promise.resolve()): Sweeping {
  const stopping = new AbortController();
  let [ran, rounds] = [0, 0];
  const run = async () => {
    ran += 1;
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
  const made = { name, ran: () => ran, rounds: () => rounds, stop };
  sweeping.push(made);
  return made;
}

async function gaugeOf(metric: string, sweepName: string): Promise<number> {
  const { values } = (await processMetrics(db).getSingleMetric(metric)?.get()) ?? { values: [] };
  const found = values.find(({ labels }) => labels['sweep'] === sweepName);
  if (found === undefined) throw new Error(`There is no ${metric} of ${sweepName}`);
  return found.value;
}
const lastRunOf = (name: string) => gaugeOf('sweep_last_run_timestamp_seconds', name);

/** Waits for three more rounds. */
async function moreRounds({ rounds }: Sweeping): Promise<void> {
  const before = rounds();
  await eventually('three more rounds', () => rounds() >= before + 3);
}

describe('when a sweep last ran', () => {
  test('is recorded for each run, beginning with the first try, in Unix time, with the interval', async () => {
    const beganAt = Date.now() / 1000;
    const made = sweep('runs');
    expect(await lastRunOf('runs')).toBeGreaterThan(beganAt - 5);
    expect(await gaugeOf('sweep_interval_seconds', 'runs')).toBe(0.01);
    await eventually('it has run', () => made.ran() > 0);
    const noted = await lastRunOf('runs');
    await eventually('the next run is noted', async () => (await lastRunOf('runs')) > noted);
    expect(await lastRunOf('runs')).toBeLessThan(Date.now() / 1000 + 5);
  });

  test('stays the same while another process has the lock, and advances afterwards', async () => {
    expect(await acquireLock(db, 'sweep-leased', 'nobody', 600_000)).toBe(true);
    expect(await acquireLock(db, 'sweep-leased', 'nobody', 600_000)).toBe(true);
    const made = sweep('leased');
    const noted = await lastRunOf('leased');
    await moreRounds(made);
    expect([made.ran(), await lastRunOf('leased')]).toEqual([0, noted]);
    await releaseLock(db, 'sweep-leased', 'nobody');
    await eventually('its run is noted', async () => (await lastRunOf('leased')) > noted);
  });

  test('stays the same while each run fails', async () => {
    const made = sweep('fails', () => Promise.reject(new Error('no')));
    const noted = await lastRunOf('fails');
    await moreRounds(made);
    expect(made.ran()).toBeGreaterThan(0);
    expect(await lastRunOf('fails')).toBe(noted);
  });
});

describe('the lock of a sweep', () => {
  type Lease = { _id: string; until: Date };
  type Left = { until: Date; leftMs: number };
  const findLease = async (name: string) => {
    const leftMs = { $subtract: ['$until', '$$NOW'] };
    const [lease = { until: new Date(0), leftMs: 0 }] = await db
      .collection<Lease>('leases')
      .aggregate<Left>([{ $match: { _id: `sweep-${name}` } }, { $project: { until: 1, leftMs } }])
      .toArray();
    return lease;
  };

  test('is renewed for each page, and outlasts a killed process by at most two minutes', async () => {
    const stopping = new AbortController();
    const leases: Left[] = [];
    const run = async () => {
      leases.push(await findLease('hourly'));
      return leases.length < 3 ? { count: 0, next: leases.length } : { count: 0 };
    };
    const hourly = { name: 'hourly', everyMs: 3_600_000, run };
    // This lock expires immediately, so the sweep can take it over.
    await acquireLock(db, 'sweep-hourly', 'nobody', 0);
    const ended = keepSweeping(db, hourly, createLogger('sweep', 'silent'), stopping.signal);
    await eventually('all pages are done', () => leases.length === 3);
    stopping.abort();
    await ended;
    const untils = leases.map(({ until }) => until.getTime());
    expect(untils).toEqual([...new Set(untils)].toSorted((a, b) => a - b));
    for (const { leftMs } of leases) expect(leftMs).toBeGreaterThan(60_000);
    for (const { leftMs } of leases) expect(leftMs).toBeLessThanOrEqual(120_000);
  });
});

test('a failed item is returned with its error, and the others are done', async () => {
  const failed: [string, string][] = [];
  const count = await sweepEach(
    ['a', 'bad', 'b', 'worse'],
    new AbortController().signal,
    (item) => (item.length > 1 ? Promise.reject(new Error(`no ${item}`)) : Promise.resolve(1)),
    (err, item) => failed.push([item, (err as Error).message]),
    1,
  );
  expect([count, failed]).toEqual([
    2,
    [
      ['bad', 'no bad'],
      ['worse', 'no worse'],
    ],
  ]);
});

test('items are processed 200 at a time, and a failed batch does not stop the next', async () => {
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
