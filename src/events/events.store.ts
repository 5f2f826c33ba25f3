import { writeEach } from '../platform/bulk-writes.ts';
import { groupBy } from '../platform/group-by.ts';
import { type Db, type Expression, inSnapshot, type ReadOptions, type Snapshot } from '../platform/mongo.ts';
import { NEWEST, newestByDb } from '../platform/newest-reads.ts';
import { omitUndefined } from '../platform/objects.ts';
import { beyondAscending } from '../platform/pagination.ts';
import type { EventType } from '../reservations/event-types.ts';
import { type EventRow, eventCollection } from './events.model.ts';
import { outboxIdOf } from './events.rules.ts';
import { FEED_BEGIN } from './sequence-numbers.store.ts';

export async function insertSample(db: Db, event: EventRow): Promise<void> {
  await eventCollection(db).insertOne(event);
}

/**
 * Writes events to the log, numbered in order from `firstNumber`. Returns, by outbox id, the first error of an
 * outbox; its later events are not written. A duplicate key means that the event is in the log already, or that another
 * process has filled its number (`giveUpRange`).
 */
export async function insertNumbered(
  db: Db,
  events: readonly EventRow[],
  firstNumber: number,
): Promise<ReadonlyMap<string, Error>> {
  const failures = new Map<string, Error>();
  const rows = events.map((event, index): EventRow => ({ ...event, sequence: firstNumber + index }));
  const outboxes = [...groupBy(rows, outboxIdOf)];
  // Write the first event of every outbox, then the second, and so on.
  for (let turn = 0; ; turn += 1) {
    const next = outboxes.flatMap(([id, itsEvents]) => (failures.has(id) ? [] : (itsEvents[turn] ?? [])));
    if (next.length === 0) return failures;
    const inserts = next.map((document) => ({ insertOne: { document } }));
    const errors = await writeEach(eventCollection(db), inserts);
    for (const [index, event] of next.entries()) {
      const err = errors[index];
      if (err !== undefined) failures.set(outboxIdOf(event), err);
    }
  }
}

/** The newest state of an event; concurrent calls share a read. */
export const findEvent = newestByDb<string, EventRow>(async (db, eventIds, options) => {
  const events = await findEvents(db, eventIds, options);
  return (eventId) => events.get(eventId);
});

export async function findEvents(
  db: Db,
  eventIds: readonly string[],
  options: ReadOptions = NEWEST,
): Promise<Map<string, EventRow>> {
  const rows = await eventCollection(db)
    .find({ _id: { $in: [...new Set(eventIds)] } }, options)
    .toArray();
  return new Map(rows.map((row) => [row._id, row]));
}

/** Ids of the newest events that calls with this request id made. */
export async function findEventIdsOfRequest(db: Db, requestId: string, limit: number): Promise<string[]> {
  const rows = await eventCollection(db)
    .find({ 'actor.requestId': requestId }, { projection: { _id: 1 } })
    .sort({ at: -1 })
    .hint('events_of_request')
    .limit(limit)
    .toArray();
  return rows.map((row) => row._id);
}

export async function findEventsOfReservation(db: Db, holdId: string): Promise<EventRow[]> {
  return eventCollection(db).find({ holdId }).sort({ at: 1, _id: 1 }).toArray();
}

export async function findReservationsWithEvent(db: Db, holdIds: readonly string[]): Promise<Set<string>> {
  const rows = await eventCollection(db)
    .find({ holdId: { $in: [...holdIds] } }, { projection: { _id: 0, holdId: 1 }, ...NEWEST })
    .hint('events_of_reservation')
    .toArray();
  return new Set(rows.flatMap(({ holdId }) => holdId ?? []));
}

/**
 * A partner gets the events of `venueIds`, and those about its own grants (`receiverId` is its id) at `ownVenueIds`.
 */
type Reader = {
  partnerId: string;
  venueIds: readonly string[];
  /** Null: at every venue, granted or not. */
  ownVenueIds: readonly string[] | null;
};

/** Two filters for a partner's events, because each has its own index. Few events match `ofOwnGrants`. */
function filtersOf({ partnerId, venueIds, ownVenueIds }: Reader) {
  return {
    ofVenues: { venueId: { $in: [...venueIds] }, receiverId: { $exists: false } },
    ofOwnGrants: { receiverId: partnerId, ...(ownVenueIds === null ? {} : { venueId: { $in: [...ownVenueIds] } }) },
  };
}

/** Merges sorted lists and returns the first `limit` events. */
function merge(lists: readonly EventRow[][], order: (a: EventRow, b: EventRow) => number, limit: number): EventRow[] {
  return lists.flat().sort(order).slice(0, limit);
}

type EventRange = {
  types: readonly EventType[];
  reader: Reader;
  since: Date;
  until: Date;
};

/** The reader's events of these types from `since` to `until`, both included, oldest first, after `last`. */
export async function findEventsBetween(
  db: Db,
  { types, reader, since, until }: EventRange,
  last: Pick<EventRow, '_id' | 'at'> | undefined,
  limit: number,
): Promise<EventRow[]> {
  const inRange: Expression = {
    at: { $gte: since, $lte: until },
    type: { $in: [...types] },
    isTest: { $ne: true },
    ...beyondAscending(last && { at: last.at, id: last._id }, 'at'),
  };
  const { ofVenues, ofOwnGrants } = filtersOf(reader);
  const find = (filter: Expression, hint: string) =>
    eventCollection(db)
      .find({ ...filter, ...inRange }, NEWEST)
      .sort({ at: 1, _id: 1 })
      .hint(hint)
      .limit(limit)
      .toArray();
  const lists = await Promise.all([find(ofVenues, 'events_of_venue'), find(ofOwnGrants, 'events_of_receiver')]);
  return merge(lists, (a, b) => a.at.getTime() - b.at.getTime() || (a._id < b._id ? -1 : 1), limit);
}

type FeedPage = { after: number; upTo: number; since?: Date | undefined; type?: EventType | undefined; limit: number };

/**
 * The reader's events with numbers in (`after`, `upTo`], in order. The first page after `since` is read by time, which
 * is cheaper if `since` excludes most of a long range.
 */
export async function findFeed(
  db: Db,
  reader: Reader,
  { after, upTo, since, type, limit }: FeedPage,
  snapshot: Snapshot,
): Promise<EventRow[]> {
  const inPage = {
    sequence: { $gt: after, $lte: upTo },
    $expr: { $gte: ['$at', FEED_BEGIN] },
    ...omitUndefined({ at: since && { $gte: since }, type }),
  };
  const { ofVenues, ofOwnGrants } = filtersOf(reader);
  const find = (filter: Expression, hint: string) =>
    eventCollection(db)
      .find({ ...filter, ...inPage }, inSnapshot(snapshot))
      .sort({ sequence: 1 })
      .hint(hint)
      .limit(limit)
      .toArray();
  const lists = await Promise.all([
    find(ofVenues, since !== undefined && after === 0 ? 'events_of_venue' : 'feed_of_venue'),
    find(ofOwnGrants, 'events_of_receiver'),
  ]);
  return merge(lists, (a, b) => (a.sequence ?? 0) - (b.sequence ?? 0), limit);
}

/** Erases reasons and attachments in the events of these reservations; returns the ids of the events. */
export async function eraseTextsOfEvents(db: Db, holdIds: readonly string[], replacement: string): Promise<string[]> {
  const events = eventCollection(db);
  const ofReservations = { holdId: { $in: [...holdIds] } };
  await events.updateMany({ ...ofReservations, reason: { $type: 'string' } }, { $set: { reason: replacement } });
  await events.updateMany({ ...ofReservations, attached: { $exists: true } }, { $unset: { attached: '' } });
  const rows = await events.find(ofReservations, { projection: { _id: 1 } }).toArray();
  return rows.map((row) => row._id);
}
