import type { Db } from '../platform/mongo.ts';
import { NEWEST } from '../platform/newest-reads.ts';
import type { EndedSession } from './ended-sessions.model.ts';
import { endedSessionCollection } from './ended-sessions.model.ts';

/** Ends a session on every process; again is nothing new. */
export async function insertEndedSession(db: Db, { _id, expiresAt }: EndedSession): Promise<void> {
  await endedSessionCollection(db).updateOne({ _id }, { $setOnInsert: { expiresAt } }, { upsert: true });
}

export async function hasEndedSession(db: Db, id: string): Promise<boolean> {
  return (
    (await endedSessionCollection(db).findOne({ _id: id }, { projection: { _id: 1 }, ...NEWEST })) !== null
  );
}
