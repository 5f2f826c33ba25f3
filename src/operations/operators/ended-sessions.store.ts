import type { Db } from '../../platform/mongo.ts';
import { NEWEST } from '../../platform/newest-reads.ts';
import { endedSessionCollection } from './ended-sessions.model.ts';
import type { Session } from './session.rules.ts';

/** Ends a session on every process before its time: copies of its token open nothing from now on. Again is nothing new. */
export async function insertEndedSession(db: Db, { id, expiresAt }: Session): Promise<void> {
  await endedSessionCollection(db).updateOne({ _id: id }, { $setOnInsert: { expiresAt } }, { upsert: true });
}

export async function hasEndedSession(db: Db, id: string): Promise<boolean> {
  return (
    (await endedSessionCollection(db).findOne({ _id: id }, { projection: { _id: 1 }, ...NEWEST })) !== null
  );
}
