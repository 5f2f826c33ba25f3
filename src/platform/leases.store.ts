import type { CollectionDefinition } from './ensure-collection.ts';
import type { Db } from './mongo.ts';
import { isDuplicateKey, openCollection } from './mongo.ts';

type Lease = { _id: string; holder: string; until: Date };

export const LEASES: CollectionDefinition = { name: 'leases', indexes: [] };

/**
 * Takes or renews the named lease for `durationMs`, by the database's clock. True when `holder` has it now. A holder
 * that dies loses it by itself; a lease only saves work, no rule depends on it being exclusive.
 */
export async function takeLease(db: Db, name: string, holder: string, durationMs: number): Promise<boolean> {
  const leases = openCollection<Lease>(db, 'leases');
  const taken = await leases.updateOne(
    { _id: name, $or: [{ holder }, { $expr: { $lte: ['$until', '$$NOW'] } }] },
    [{ $set: { holder: { $literal: holder }, until: { $add: ['$$NOW', durationMs] } } }],
  );
  if (taken.matchedCount === 1) return true;
  try {
    // Where nobody ever had it. It is over at once, so the next round takes it properly.
    await leases.insertOne({ _id: name, holder, until: new Date(0) });
    return true;
  } catch (err) {
    if (isDuplicateKey(err)) return false;
    throw err;
  }
}

/** Gives the lease back, where `holder` has it. */
export async function endLease(db: Db, name: string, holder: string): Promise<void> {
  await openCollection<Lease>(db, 'leases').updateOne(
    { _id: name, holder },
    { $set: { until: new Date(0) } },
  );
}

/** Who has the lease, or had it last; undefined where nobody ever did. */
export async function findLeaseHolder(db: Db, name: string): Promise<string | undefined> {
  const lease = await openCollection<Lease>(db, 'leases').findOne({ _id: name });
  return lease?.holder;
}
