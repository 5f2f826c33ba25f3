import type { CollectionDefinition } from './ensure-collection.ts';
import type { Db } from './mongo.ts';
import { isDuplicateKey, openCollection } from './mongo.ts';
import { CONFIRMED, NEWEST } from './newest-reads.ts';

/** A single document: the longest lease of any process. `leaseMs` is only ever raised. */
type CacheLease = { _id: string; leaseMs: number };

const ID = 'rules';

export const CACHE_LEASES: CollectionDefinition = { name: 'cache_leases', indexes: [] };

export const cacheLeaseCollection = (db: Db) => openCollection<CacheLease>(db, CACHE_LEASES.name);

/** Stores that leases last up to `leaseMs`. Await it before giving one. Never shortens: older leases may still run. */
export async function raiseLease(db: Db, leaseMs: number): Promise<void> {
  const raise = () =>
    cacheLeaseCollection(db).updateOne({ _id: ID }, { $max: { leaseMs } }, { upsert: true });
  await raise().catch((err: unknown) => {
    if (!isDuplicateKey(err)) throw err;
    // Of two concurrent upserts, one fails; the retry finds the document of the other.
    return raise();
  });
}

/** The length of the longest lease given before this call. */
export async function findLongestLeaseMs(db: Db): Promise<number> {
  const found = await cacheLeaseCollection(db).findOne({ _id: ID }, NEWEST);
  return found?.leaseMs ?? 0;
}

/** Resolves if this server is still the primary and a majority has everything written before this call. */
export async function confirmPrimary(db: Db, maxTimeMS: number): Promise<void> {
  await cacheLeaseCollection(db).findOne({ _id: ID }, { ...CONFIRMED, maxTimeMS });
}
