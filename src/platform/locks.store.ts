import { type Db, unlessDuplicate } from './mongo.ts';
import { collectionOf, definitionOf, REQUIRED, schemaOf } from './mongo-schema.ts';

const lockSchema = schemaOf('leases', { _id: REQUIRED.text, holder: REQUIRED.text, until: REQUIRED.date });

export const LOCKS = definitionOf(lockSchema);

const lockCollection = (db: Db) => collectionOf(db, lockSchema);

/** Acquires or renews a lock; false if another holder has it. Locks only save work: no rule needs exclusivity. */
export async function acquireLock(db: Db, name: string, holder: string, durationMs: number): Promise<boolean> {
  const { matchedCount } = await lockCollection(db).updateOne(
    { _id: name, $or: [{ holder }, { $expr: { $lte: ['$until', '$$NOW'] } }] },
    [{ $set: { holder: { $literal: holder }, until: { $add: ['$$NOW', durationMs] } } }],
  );
  if (matchedCount === 1) return true;
  // The first holder ever. The lock ends at once, so the next call acquires it properly.
  const inserting = lockCollection(db).insertOne({ _id: name, holder, until: new Date(0) });
  return (await unlessDuplicate(inserting)) !== null;
}

export async function releaseLock(db: Db, name: string, holder: string): Promise<void> {
  await lockCollection(db).updateOne({ _id: name, holder }, { $set: { until: new Date(0) } });
}

export async function findLockHolder(db: Db, name: string): Promise<string | undefined> {
  return (await lockCollection(db).findOne({ _id: name }))?.holder;
}
