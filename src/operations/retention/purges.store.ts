import type { Db } from '../../platform/mongo.ts';
import { collectionOf, definitionOf, oneOf, REQUIRED, type RowOf, schemaOf } from '../../platform/mongo-schema.ts';
import type { Kind } from './kinds.ts';

/** When a purge of a kind was last completed, or first tried. */
type Purge = RowOf<typeof purgeSchema>;

const purgeSchema = schemaOf('purges', {
  _id: { ...oneOf<Kind['name']>(), required: true },
  completedAt: REQUIRED.date,
});

export const PURGES = definitionOf(purgeSchema);

const purgeCollection = (db: Db) => collectionOf(db, purgeSchema);

/** Records a purge. The first try counts like a completed purge: lateness is measured from that instant. */
export async function notePurge(db: Db, kind: Kind['name'], what: 'tried' | 'completed'): Promise<void> {
  const completedAt = what === 'completed' ? '$$NOW' : { $ifNull: ['$completedAt', '$$NOW'] };
  await purgeCollection(db).updateOne({ _id: kind }, [{ $set: { completedAt } }], { upsert: true });
}

/** Removes the record: a kind kept for ever is never late. */
export async function forgetPurge(db: Db, kind: Kind['name']): Promise<void> {
  await purgeCollection(db).deleteOne({ _id: kind });
}

export async function listPurges(db: Db): Promise<Purge[]> {
  return purgeCollection(db).find().toArray();
}
