import { type Backlog, type DuePage, findDuePage, measureBacklog } from '../platform/backlog.store.ts';
import { updateEach } from '../platform/bulk-writes.ts';
import type { Db, ReadOptions } from '../platform/mongo.ts';
import { CONFIRMED, NEWEST } from '../platform/newest-reads.ts';
import type { PageOfDue } from './hold-reads.store.ts';
import { type Outbox, reservationCollection } from './reservations.model.ts';

const IS_WAITING = { outboxSince: { $exists: true } };
const BY_AGE = { field: 'outboxSince', hint: 'undispatched' };

const OUTBOX = {
  outbox: 1,
  venueId: 1,
  resourceId: 1,
  slotId: 1,
  slotStart: 1,
  slotEnd: 1,
  pricePaise: 1,
} as const satisfies Record<Exclude<keyof Outbox, '_id'>, 1>;

/** The outboxes of those reservations that exist, as every acknowledged write left them. */
export async function findOutboxes(db: Db, reservationIds: readonly string[]): Promise<Outbox[]> {
  const read = (ids: readonly string[], options: ReadOptions): Promise<Outbox[]> =>
    reservationCollection(db)
      .find({ _id: { $in: [...ids] } }, { projection: OUTBOX, ...options })
      .toArray();
  const outboxes = await read(reservationIds, {});
  const ids = new Set(outboxes.map(({ _id }) => _id));
  const missing = reservationIds.filter((id) => !ids.has(id));
  return missing.length === 0 ? outboxes : [...outboxes, ...(await read(missing, CONFIRMED))];
}

/**
 * Removes dispatched events from the outboxes of their reservations. Returns for each outbox, in order, its own error
 * if it failed.
 */
export async function removeFromOutboxes(
  db: Db,
  dispatched: readonly { reservationId: string; eventIds: readonly string[] }[],
): Promise<(Error | undefined)[]> {
  if (dispatched.length === 0) return [];
  const updates = dispatched.map(({ reservationId, eventIds }) => {
    const isOtherEvent = { $not: [{ $in: ['$$this.eventId', [...eventIds]] }] };
    return {
      filter: { _id: reservationId },
      update: [
        { $set: { outbox: { $filter: { input: '$outbox', cond: isOtherEvent } } } },
        { $set: { outboxSince: { $cond: [{ $eq: ['$outbox', []] }, '$$REMOVE', '$outboxSince'] } } },
      ],
    };
  });
  const ids = dispatched.map(({ reservationId }) => reservationId);
  const hasOtherEvent = { $elemMatch: { eventId: { $nin: dispatched.flatMap(({ eventIds }) => eventIds) } } };
  const emptyAll = {
    filter: { _id: { $in: ids }, ...IS_WAITING, outbox: { $not: hasOtherEvent } },
    update: { $set: { outbox: [] }, $unset: { outboxSince: '' } },
  };
  return updateEach(reservationCollection(db), updates, emptyAll);
}

/** A page of reservations with events in the outbox for at least `graceMs`, oldest first. */
export async function findUndispatchedPage(db: Db, query: PageOfDue): Promise<DuePage> {
  return findDuePage(reservationCollection(db), IS_WAITING, { ...BY_AGE, ...query });
}

export async function findUndispatchedBacklog(db: Db, graceMs: number): Promise<Backlog | null> {
  return measureBacklog(reservationCollection(db), IS_WAITING, { ...BY_AGE, graceMs });
}

/** The reservations among `ids` with a non-empty outbox, in the newest state. */
export async function findUndispatchedAmong(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await reservationCollection(db)
    .find({ _id: { $in: [...new Set(ids)] }, ...IS_WAITING }, { projection: { _id: 1 }, ...NEWEST })
    .hint('_id_')
    .toArray();
  return new Set(rows.map(({ _id }) => _id));
}

/** The event ids in outboxes that have not been empty since before `before` (usually none). */
export async function findUndispatchedEventIds(db: Db, before: Date): Promise<Set<string>> {
  const rows = await reservationCollection(db)
    .find({ outboxSince: { $lt: before } }, { projection: { 'outbox.eventId': 1 }, ...NEWEST })
    .hint('undispatched')
    .toArray();
  return new Set(rows.flatMap(({ outbox }) => outbox.map(({ eventId }) => eventId)));
}
