import type { Db } from '../../platform/mongo.ts';
import { collectionOf, definitionOf, REQUIRED, schemaOf } from '../../platform/mongo-schema.ts';
import { NEWEST } from '../../platform/newest-reads.ts';
import type { Session } from './session.rules.ts';

/** A session that was signed out before it expired. `_id` is the id in the session's token. */
const endedSessionSchema = schemaOf('ended_sessions', { _id: REQUIRED.text, expiresAt: REQUIRED.date });
// An expired session needs no row any more.
endedSessionSchema.index({ expiresAt: 1 }, { name: 'over', expireAfterSeconds: 0 });

export const ENDED_SESSIONS = definitionOf(endedSessionSchema);

const endedSessionCollection = (db: Db) => collectionOf(db, endedSessionSchema);

/** Ends a session on every process, so copies of its token are useless. Idempotent. */
export async function insertEndedSession(db: Db, { id, expiresAt }: Session): Promise<void> {
  await endedSessionCollection(db).updateOne({ _id: id }, { $setOnInsert: { expiresAt } }, { upsert: true });
}

export async function hasEndedSession(db: Db, id: string): Promise<boolean> {
  return (await endedSessionCollection(db).findOne({ _id: id }, { projection: { _id: 1 }, ...NEWEST })) !== null;
}
