import type { CollectionDefinition } from '../../platform/ensure-collection.ts';
import type { Db } from '../../platform/mongo.ts';
import { openCollection } from '../../platform/mongo.ts';

/** A session that was signed out before it ran out. `_id` is the id in its token; without the signature that opens nothing. */
type EndedSession = { _id: string; expiresAt: Date };

export const endedSessionCollection = (db: Db) => openCollection<EndedSession>(db, 'ended_sessions');

export const ENDED_SESSIONS: CollectionDefinition = {
  name: 'ended_sessions',
  jsonSchema: { required: ['expiresAt'], properties: { expiresAt: { bsonType: 'date' } } },
  // Once a session has run out by itself, nobody needs to know that it was ended.
  indexes: [{ name: 'over', key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
};
