import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/mongo.ts';
import { hasEndedSession, insertEndedSession } from './ended-sessions.store.ts';
import type { Session } from './session.rules.ts';
import { openSession } from './session.rules.ts';

type SessionDeps = { db: Db; clock: Clock; config: { operatorApiKey: string } };

/**
 * The session of a token that is genuine, has not run out and was not signed out, on whatever process. One read by id; while
 * the database is away nobody is let in by a token, because nobody knows which were signed out.
 */
export async function findLiveSession(deps: SessionDeps, token: string): Promise<Session | undefined> {
  const session = openSession(token, deps.config.operatorApiKey, deps.clock.now());
  return session === undefined || (await hasEndedSession(deps.db, session.id)) ? undefined : session;
}

/** Ends a session before its time: copies of its token open nothing from now on. */
export async function endSession(deps: { db: Db }, { id, expiresAt }: Session): Promise<void> {
  await insertEndedSession(deps.db, { _id: id, expiresAt });
}
