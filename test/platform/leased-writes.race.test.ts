import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import type { EntryKind } from '../../src/platform/cache-entries.store.ts';
import { type Lease, leasedCacheOf, setLeaseMs } from '../../src/platform/leased-cache.ts';
import { createLogger } from '../../src/platform/logger.ts';
import type { Db } from '../../src/platform/mongo.ts';
import { isCommandTimeout, isExpressionError, openCollection } from '../../src/platform/mongo.ts';
import { createDb, openDb } from '../../src/platform/mongo-connection.ts';
import { integerBetween, mulberry32, pick, propertySeed } from '../support/random.ts';
import { scaled } from '../support/scale.ts';
import { databaseUri, freshName } from '../support/service-environment.ts';
import { watchCacheCalls } from './cache-calls.ts';

const SELLERS = 4;
const CHANGES = scaled(150, 12);
const LEASE_MS = scaled(200, 100);
const database = freshName();
const opened: Db[] = [];
afterAll(async () => {
  await Promise.all(opened.map((db) => db.close()));
  const last = await connect();
  await last.dropDatabase();
  await last.close();
});

async function connect(): Promise<Db> {
  const db = createDb();
  setLeaseMs(db, LEASE_MS);
  await openDb(db, databaseUri(database), createLogger('seller', 'silent'), new AbortController().signal);
  return db;
}

type Rule = { _id: string; n: number };
type Sale = { _id: number; n: number };
const RULES: EntryKind = { collection: 'rules_of_things', stages: [] };
const rules = (db: Db) => openCollection<Rule>(db, 'rules_of_things');
const sales = (db: Db) => openCollection<Sale>(db, 'sales');

/** Writes the sale, unless the lease has ended by the database's clock; returns whether it was written. */
async function sell(db: Db, sale: Sale, lease: Lease, isGuarded: boolean): Promise<boolean> {
  const isInTime = isGuarded ? { $lt: ['$$NOW', lease.beginBy] } : true;
  const update = [{ $replaceWith: { $cond: [isInTime, { $literal: sale }, { $toInt: 'late' }] } }];
  try {
    await sales(db).updateOne({ _id: sale._id }, update, {
      upsert: true,
      ...(isGuarded && { maxTimeMS: lease.maxTimeMS }),
    });
    return true;
  } catch (err) {
    if (isExpressionError(err) || isCommandTimeout(err)) return false;
    throw err;
  }
}

/**
 * Several processes sell by a cached rule while it changes. Each may stall at any step, for up to three leases. Returns
 * the sales by an old rule that were made after the response to the change of that rule, and counts of outcomes.
 */
async function sellAmidChanges(seed: number, isGuarded: boolean) {
  const random = mulberry32(seed);
  const pause = () => (random() < 0.3 ? delay(integerBetween(random, 0, 3 * LEASE_MS)) : Promise.resolve());
  const sellers = await Promise.all(Array.from({ length: SELLERS }, connect));
  opened.push(...sellers);
  for (const db of sellers) slowReadings(db, pause, random);
  const counts = { sold: 0, late: 0, withoutLease: 0 };
  let lastSale = 0;
  let current = 1;
  const over = new AbortController();
  const [first] = sellers as [Db];
  await sales(first).deleteMany({});
  await rules(first).replaceOne({ _id: 'a' }, { n: current }, { upsert: true });

  const seller = async (db: Db) => {
    const cache = leasedCacheOf(db);
    while (!over.signal.aborted) {
      const rule = await cache.read<Rule>(RULES, 'a').catch(() => null);
      await pause();
      const lease = rule === null ? undefined : await cache.lease([rule], LEASE_MS);
      // Stall like a process that freezes before its write.
      await pause();
      lastSale += 1;
      if (lease === undefined || rule === null) counts.withoutLease += 1;
      else {
        const isSold = await sell(db, { _id: lastSale, n: rule.value.n }, lease, isGuarded);
        counts[isSold ? 'sold' : 'late'] += 1;
      }
      await delay(1);
    }
  };
  const selling = Promise.all(sellers.flatMap((db) => [seller(db), seller(db), seller(db)]));
  const soldBy = (n: number) => sales(first).countDocuments({ n: { $lte: n } }, { readConcern: { level: 'local' } });
  const soldAtResponse: { n: number; sold: number }[] = [];
  for (let change = 0; change < CHANGES; change += 1) {
    const db = pick(random, sellers);
    await rules(db).updateOne({ _id: 'a' }, { $set: { n: current + 1 } });
    await leasedCacheOf(db).invalidate('everywhere');
    soldAtResponse.push({ n: current, sold: await soldBy(current) });
    current += 1;
    await delay(integerBetween(random, 0, LEASE_MS));
  }
  over.abort();
  await selling;
  const faults: string[] = [];
  for (const { n, sold } of soldAtResponse) {
    const late = (await soldBy(n)) - sold;
    if (late !== 0) faults.push(`${late} sold by rule ${n} or an earlier one after the response to its change`);
  }
  return { faults, counts };
}

/** Makes some reads and confirmations slow, and lets some fail. */
function slowReadings(db: Db, pause: () => Promise<void>, random: () => number): void {
  const slowly = async (call: () => Promise<unknown>) => {
    if (random() < 0.1) throw new Error('the connection was lost');
    const found = await call();
    await pause();
    return found;
  };
  watchCacheCalls(db, { onReading: slowly, onConfirmation: slowly });
}

test('nothing is sold by an old rule after the response to its change, even if sellers stall for three leases', async () => {
  const seed = propertySeed();
  const { faults, counts } = await sellAmidChanges(seed, true);
  expect([seed, faults]).toEqual([seed, []]);
  // Control: some sales succeeded, and some were late.
  expect(Math.min(counts.sold, counts.late)).toBeGreaterThan(0);
}, 300_000);

test('control: old rules sell if writes ignore the end of their leases', async () => {
  expect((await sellAmidChanges(propertySeed(), false)).faults).not.toEqual([]);
}, 300_000);
