import type { CollectionDefinition } from '../../platform/ensure-collection.ts';
import type { Db, Expression } from '../../platform/mongo.ts';
import { openCollection } from '../../platform/mongo.ts';
import type { Kind } from './kinds.ts';

/** When all that was to be purged of a kind had been, or when it was first tried. */
type Purge = { _id: Kind['name']; completedAt: Date };

export const PURGES: CollectionDefinition = { name: 'purges', indexes: [] };

const purgeCollection = (db: Db) => openCollection<Purge>(db, 'purges');

/** Of a kind that has never been purged to its end: what does not succeed from now on is late from here, whatever is restarted. */
export async function notePurgeTried(db: Db, kind: Kind['name']): Promise<void> {
  await setCompletedAt(db, kind, { $ifNull: ['$completedAt', '$$NOW'] });
}

export async function notePurgeCompleted(db: Db, kind: Kind['name']): Promise<void> {
  await setCompletedAt(db, kind, '$$NOW');
}

async function setCompletedAt(db: Db, kind: Kind['name'], completedAt: Expression | '$$NOW'): Promise<void> {
  await purgeCollection(db).updateOne({ _id: kind }, [{ $set: { completedAt } }], { upsert: true });
}

/** Of a kind that is kept for ever: nothing of it is late. */
export async function forgetPurge(db: Db, kind: Kind['name']): Promise<void> {
  await purgeCollection(db).deleteOne({ _id: kind });
}

/** When each kind that is purged last had been to its end. */
export async function findPurgesCompleted(db: Db): Promise<ReadonlyMap<Kind['name'], Date>> {
  const rows = await purgeCollection(db).find().toArray();
  return new Map(rows.map(({ _id, completedAt }) => [_id, completedAt]));
}
