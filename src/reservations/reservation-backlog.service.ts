import type { Backlog } from '../platform/backlog.store.ts';
import type { Db } from '../platform/mongo.ts';
import { countActiveHolds, findOverdueHolds, findUndispatched } from './reservation-backlog.store.ts';

/** The reservations whose events have waited for the dispatcher for at least `graceMs`; null where there are none. */
export async function undispatchedBacklog(deps: { db: Db }, graceMs: number): Promise<Backlog | null> {
  return findUndispatched(deps.db, graceMs);
}

/**
 * The holds that ended at least `graceMs` ago without anyone having settled them; null where there are none. They are dead
 * to every reader, but their `hold_expired` event is owed.
 */
export async function overdueHolds(deps: { db: Db }, graceMs: number): Promise<Backlog | null> {
  return findOverdueHolds(deps.db, graceMs);
}

/** How many holds claim their slot now, up to 100,000. */
export async function activeHolds(deps: { db: Db }): Promise<number> {
  return countActiveHolds(deps.db);
}
