import type { CollectionDefinition } from '../../platform/ensure-collection.ts';
import { type Db, openCollection } from '../../platform/mongo.ts';
import { NEWEST } from '../../platform/newest-reads.ts';
import type { Session } from './session.rules.ts';

/** A session that was signed out before it expired. `_id` is the id in its token, useless without the signature. */
type EndedSession = { _id: string; expiresAt: Date };

const endedSessionCollection = (db: Db) => openCollection<EndedSession>(db, 'ended_sessions');

export const ENDED_SESSIONS: CollectionDefinition<EndedSession> = {
  name: 'ended_sessions',
  jsonSchema: { required: ['expiresAt'], properties: { expiresAt: { bsonType: 'date' } } },
  // An expired session needs no row any more.
  indexes: [{ name: 'over', key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
};

/** Ends a session on every process, so copies of its token are useless. Idempotent. */
export async function insertEndedSession(db: Db, { id, expiresAt }: Session): Promise<void> {
  await endedSessionCollection(db).updateOne({ _id: id }, { $setOnInsert: { expiresAt } }, { upsert: true });
}

export async function hasEndedSession(db: Db, id: string): Promise<boolean> {
  return (await endedSessionCollection(db).findOne({ _id: id }, { projection: { _id: 1 }, ...NEWEST })) !== null;
}
