import type { CollectionDefinition } from './ensure-collection.ts';
import type { Db } from './mongo.ts';
import { isDuplicateKey, openCollection } from './mongo.ts';
import { CONFIRMED, NEWEST } from './newest-reads.ts';

/** The one document: how long the leases of all processes over cached data are. It is only ever raised. */
type CacheLease = { _id: string; leaseMs: number };

const ID = 'rules';

export const CACHE_LEASES: CollectionDefinition = { name: 'cache_leases', indexes: [] };

export const cacheLeaseCollection = (db: Db) => openCollection<CacheLease>(db, CACHE_LEASES.name);

/** Stores that leases are up to `leaseMs` long; await it before giving one. Never shortens: a change would not wait for older leases. */
export async function raiseLease(db: Db, leaseMs: number): Promise<void> {
  const raise = () =>
    cacheLeaseCollection(db).updateOne({ _id: ID }, { $max: { leaseMs } }, { upsert: true });
  await raise().catch((err: unknown) => {
    if (!isDuplicateKey(err)) throw err;
    // Of two upserts at once, one inserts; the other finds that.
    return raise();
  });
}

/** The length of the longest lease that was given before this call. */
export async function findLongestLeaseMs(db: Db): Promise<number> {
  const found = await cacheLeaseCollection(db).findOne({ _id: ID }, NEWEST);
  return found?.leaseMs ?? 0;
}

/** Resolves if the server is the primary after this call, and a majority has all that it had when called. Rejects after `maxTimeMS`. */
export async function confirmPrimary(db: Db, maxTimeMS: number): Promise<void> {
  await cacheLeaseCollection(db).findOne({ _id: ID }, { ...CONFIRMED, maxTimeMS });
}
