import type { Db } from '../platform/mongo.ts';
import type { EventRow } from './events.model.ts';
import { findEvent, findEvents } from './events.store.ts';

export type { EventRow } from './events.model.ts';

/** An event of the log, or null where there is none of that id. */
export async function readEvent(deps: { db: Db }, eventId: string): Promise<EventRow | null> {
  return findEvent(deps.db, eventId);
}

/** The events of `eventIds` that the log has, by id. */
export async function readEvents(
  deps: { db: Db },
  eventIds: readonly string[],
): Promise<Map<string, EventRow>> {
  return findEvents(deps.db, eventIds);
}
