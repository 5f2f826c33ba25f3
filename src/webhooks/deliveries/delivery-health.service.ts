import { findWaitingChanges } from '../../catalog/changes/changes.store.ts';
import type { Backlog } from '../../platform/backlog.store.ts';
import type { Db, Tx } from '../../platform/mongo.ts';
import { findUndispatched } from '../../reservations/outbox.store.ts';
import { findActiveIds } from '../subscriptions/require-subscription.service.ts';
import { findUnhealthyIds } from '../subscriptions/subscription-health.store.ts';
import { findOverdueBacklog, hasDeadLetter, markCounted } from './delivery-statistics.store.ts';

/** Marks dead letters as counted within `tx`; returns how many were not counted before, so that each counts once. */
export async function countDeadLettersOnce(deps: { db: Db }, ids: readonly string[], tx: Tx): Promise<number> {
  return markCounted(deps.db, ids, tx);
}

export async function withDeadLetters(deps: { db: Db }, subscriptionIds: readonly string[]): Promise<string[]> {
  if (subscriptionIds.length === 0) return [];
  const active = await findActiveIds(deps, subscriptionIds);
  const found: string[] = [];
  for (const id of active) if (await hasDeadLetter(deps.db, id)) found.push(id);
  return found;
}

/** Deliveries overdue by at least `graceMs`, except to unhealthy endpoints, which have to wait. */
export async function overdueDeliveries(deps: { db: Db }, graceMs: number): Promise<Backlog | null> {
  return findOverdueBacklog(deps.db, graceMs, await findUnhealthyIds(deps.db));
}

/**
 * The outboxes with events that have waited for at least `graceMs`, of reservations and venues; null if there are none.
 */
export async function measureUndispatched(db: Db, graceMs: number): Promise<Backlog | null> {
  const [ofReservations, ofVenues] = await Promise.all([
    findUndispatched(db, graceMs),
    findWaitingChanges(db, graceMs),
  ]);
  if (ofReservations === null || ofVenues === null) return ofReservations ?? ofVenues;
  const oldest = ofReservations.since < ofVenues.since ? ofReservations : ofVenues;
  return { ...oldest, count: ofReservations.count + ofVenues.count };
}
