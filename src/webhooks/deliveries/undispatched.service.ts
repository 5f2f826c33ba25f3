import { findWaitingChanges } from '../../catalog/changes/changes.store.ts';
import type { Backlog } from '../../platform/backlog.store.ts';
import type { Db } from '../../platform/mongo.ts';
import { findUndispatched } from '../../reservations/outbox.store.ts';

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
