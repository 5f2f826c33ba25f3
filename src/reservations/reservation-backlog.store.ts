import type { Backlog, DuePage, DueQuery } from '../platform/backlog.store.ts';
import { findDuePage, measureBacklog } from '../platform/backlog.store.ts';
import type { Db } from '../platform/mongo.ts';
import { NEWEST } from '../platform/newest-reads.ts';
import { reservationCollection } from './reservations.model.ts';

export type PageOfDue = Pick<DueQuery, 'graceMs' | 'limit' | 'from'>;

/** A page of holds that lapsed at least `graceMs` ago and that nobody has settled, oldest first. */
export async function findLapsedHolds(db: Db, query: PageOfDue): Promise<DuePage> {
  const due = { field: 'holdExpiresAt', hint: 'active_holds', ...query };
  return findDuePage(reservationCollection(db), { status: 'ACTIVE' }, due);
}

/** A page of reservations whose outbox has not been empty for at least `graceMs`, oldest first. */
export async function findUndispatchedPage(db: Db, query: PageOfDue): Promise<DuePage> {
  const due = { field: 'outboxSince', hint: 'undispatched', ...query };
  return findDuePage(reservationCollection(db), { outboxSince: { $exists: true } }, due);
}

/** Reservations whose outbox has not been empty for at least `graceMs`. */
export async function findUndispatched(db: Db, graceMs: number): Promise<Backlog | null> {
  const match = { outboxSince: { $exists: true } };
  return measureBacklog(reservationCollection(db), match, {
    field: 'outboxSince',
    graceMs,
    hint: 'undispatched',
  });
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

/** Holds that lapsed at least `graceMs` ago and that nobody has settled. */
export async function findOverdueHolds(db: Db, graceMs: number): Promise<Backlog | null> {
  return measureBacklog(
    reservationCollection(db),
    { status: 'ACTIVE' },
    { field: 'holdExpiresAt', graceMs, hint: 'active_holds' },
  );
}

const COUNTED_AT_MOST = 100_000;
const MAX_TIME_MS = 5000;

/** Holds that claim their slot, those that lapsed and were not settled included, up to 100,000. Rejects after 5 s. */
export async function countActiveHolds(db: Db): Promise<number> {
  const options = { hint: 'active_holds', limit: COUNTED_AT_MOST, maxTimeMS: MAX_TIME_MS };
  return reservationCollection(db).countDocuments({ status: 'ACTIVE' }, options);
}
