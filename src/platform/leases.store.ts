import type { CollectionDefinition } from './ensure-collection.ts';
import type { Db } from './mongo.ts';
import { isDuplicateKey, openCollection } from './mongo.ts';

type Lease = { _id: string; holder: string; until: Date };

export const LEASES: CollectionDefinition = { name: 'leases', indexes: [] };

/**
 * Acquires or renews the named lock for `durationMs`, by the database's clock; returns whether `holder` has it now.
 * A lock only saves work: no rule depends on it being exclusive.
 */
export async function takeLease(db: Db, name: string, holder: string, durationMs: number): Promise<boolean> {
  const leases = openCollection<Lease>(db, 'leases');
  const taken = await leases.updateOne(
    { _id: name, $or: [{ holder }, { $expr: { $lte: ['$until', '$$NOW'] } }] },
    [{ $set: { holder: { $literal: holder }, until: { $add: ['$$NOW', durationMs] } } }],
  );
  if (taken.matchedCount === 1) return true;
  try {
    // The first holder ever. The lock ends at once, so the next call acquires it properly.
    await leases.insertOne({ _id: name, holder, until: new Date(0) });
    return true;
  } catch (err) {
    if (isDuplicateKey(err)) return false;
    throw err;
  }
}

/** Releases the lock if `holder` has it. */
export async function endLease(db: Db, name: string, holder: string): Promise<void> {
  await openCollection<Lease>(db, 'leases').updateOne(
    { _id: name, holder },
    { $set: { until: new Date(0) } },
  );
}

/** The current or last holder of the lock; undefined if it was never held. */
export async function findLeaseHolder(db: Db, name: string): Promise<string | undefined> {
  const lease = await openCollection<Lease>(db, 'leases').findOne({ _id: name });
  return lease?.holder;
}
