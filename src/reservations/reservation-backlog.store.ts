import type { Backlog, DuePage, DueQuery } from '../platform/backlog.store.ts';
import { findDuePage, measureBacklog } from '../platform/backlog.store.ts';
import type { Db } from '../platform/mongo.ts';
import { NEWEST } from '../platform/newest-reads.ts';
import { reservationCollection } from './reservations.model.ts';

export type PageOfDue = Pick<DueQuery, 'graceMs' | 'limit' | 'from'>;

/** Holds that claim their slot, those that lapsed and were not expired included. */
const ACTIVE = { match: { status: 'ACTIVE' as const }, by: { field: 'holdExpiresAt', hint: 'active_holds' } };
const UNDISPATCHED = {
  match: { outboxSince: { $exists: true } },
  by: { field: 'outboxSince', hint: 'undispatched' },
};

/** A page of holds that lapsed at least `graceMs` ago and that nobody has expired, oldest first. */
export async function findLapsedHolds(db: Db, query: PageOfDue): Promise<DuePage> {
  return findDuePage(reservationCollection(db), ACTIVE.match, { ...ACTIVE.by, ...query });
}

/** A page of reservations whose outbox has not been empty for at least `graceMs`, oldest first. */
export async function findUndispatchedPage(db: Db, query: PageOfDue): Promise<DuePage> {
  return findDuePage(reservationCollection(db), UNDISPATCHED.match, { ...UNDISPATCHED.by, ...query });
}

/** Reservations whose outbox has not been empty for at least `graceMs`. */
export async function findUndispatched(db: Db, graceMs: number): Promise<Backlog | null> {
  return measureBacklog(reservationCollection(db), UNDISPATCHED.match, { ...UNDISPATCHED.by, graceMs });
}

/** Holds that lapsed at least `graceMs` ago and that nobody has expired. */
export async function findOverdueHolds(db: Db, graceMs: number): Promise<Backlog | null> {
  return measureBacklog(reservationCollection(db), ACTIVE.match, { ...ACTIVE.by, graceMs });
}

/** Those of `ids` whose outbox is not empty, in the newest state. */
export async function findUndispatchedAmong(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await reservationCollection(db)
    .find(
      { _id: { $in: [...new Set(ids)] }, outboxSince: { $exists: true } },
      { projection: { _id: 1 }, ...NEWEST },
    )
    .hint('_id_')
    .toArray();
  return new Set(rows.map(({ _id }) => _id));
}

/** The ids of the events in outboxes that have not been empty since `before`: nearly always none. */
export async function findUndispatchedEventIds(db: Db, before: Date): Promise<Set<string>> {
  const rows = await reservationCollection(db)
    .find({ outboxSince: { $lt: before } }, { projection: { 'outbox.eventId': 1 }, ...NEWEST })
    .hint('undispatched')
    .toArray();
  return new Set(rows.flatMap(({ outbox }) => outbox.map(({ eventId }) => eventId)));
}

const COUNTED_AT_MOST = 100_000;
const MAX_TIME_MS = 5000;

/** How many holds claim their slot, up to 100,000. Rejects after 5 s. */
export async function countActiveHolds(db: Db): Promise<number> {
  const options = { hint: ACTIVE.by.hint, limit: COUNTED_AT_MOST, maxTimeMS: MAX_TIME_MS };
  return reservationCollection(db).countDocuments(ACTIVE.match, options);
}
