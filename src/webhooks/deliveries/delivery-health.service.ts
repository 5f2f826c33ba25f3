import { findWaitingChanges } from '../../catalog/changes/changes.store.ts';
import type { Backlog } from '../../platform/backlog.store.ts';
import type { Db } from '../../platform/mongo.ts';
import { findUndispatchedBacklog } from '../../reservations/outbox.store.ts';
import { findUnhealthyIds } from '../subscriptions/subscription-health.store.ts';
import { findSubscriptions } from '../subscriptions/subscriptions.store.ts';
import { findOverdueBacklog, hasDeadLetter } from './delivery-statistics.store.ts';

export { markCounted } from './delivery-statistics.store.ts';

/** The ids among `subscriptionIds` of active subscriptions that have a dead letter. */
export async function withDeadLetters({ db }: { db: Db }, subscriptionIds: readonly string[]): Promise<string[]> {
  if (subscriptionIds.length === 0) return [];
  const ids: string[] = [];
  for (const { _id, status } of (await findSubscriptions(db, subscriptionIds)).values())
    if (status === 'active' && (await hasDeadLetter(db, _id))) ids.push(_id);
  return ids;
}

/** Deliveries overdue by at least `graceMs`, except to unhealthy endpoints: these deliveries have to wait. */
export async function overdueDeliveries(deps: { db: Db }, graceMs: number): Promise<Backlog | null> {
  return findOverdueBacklog(deps.db, graceMs, await findUnhealthyIds(deps.db));
}

/** Outboxes of reservations and venues whose events have waited for at least `graceMs`; null if there are none. */
export async function measureUndispatched(db: Db, graceMs: number): Promise<Backlog | null> {
  const [ofReservations, ofVenues] = await Promise.all([
    findUndispatchedBacklog(db, graceMs),
    findWaitingChanges(db, graceMs),
  ]);
  if (ofReservations === null || ofVenues === null) return ofReservations ?? ofVenues;
  const oldest = ofReservations.since < ofVenues.since ? ofReservations : ofVenues;
  return { ...oldest, count: ofReservations.count + ofVenues.count };
}
