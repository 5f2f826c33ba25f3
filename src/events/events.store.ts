import { writeEach } from '../platform/bulk-writes.ts';
import { memoizeByObject } from '../platform/memoize-by-object.ts';
import type { Db, Expression, ReadOptions, Snapshot } from '../platform/mongo.ts';
import { inSnapshot } from '../platform/mongo.ts';
import { NEWEST, newestOf } from '../platform/newest-reads.ts';
import type { EventType } from '../reservations/event-types.ts';
import type { EventRow } from './events.model.ts';
import { eventCollection } from './events.model.ts';

/** Writes an event to the log that has no place in the feed: a sample. */
export async function insertSample(db: Db, event: EventRow): Promise<void> {
  await eventCollection(db).insertOne(event);
}

/**
 * Writes events to the log, numbered in their order from `first` on. Returns by reservation why one of its events could not be written;
 * none after that one was. A duplicate key means that the event is in the log already, or that its number was given up.
 */
export async function insertNumbered(
  db: Db,
  events: readonly EventRow[],
  first: number,
): Promise<ReadonlyMap<string, Error>> {
  const refused = new Map<string, Error>();
  const rows = events.map((event, index): EventRow => ({ ...event, sequence: first + index }));
  for (const turn of inTurns(rows)) {
    const inserts = turn
      .filter(({ holdId }) => !refused.has(holdId))
      .map((document) => ({ insertOne: { document } }));
    if (inserts.length === 0) break;
    const errors = await writeEach(eventCollection(db), inserts);
    for (const [index, { insertOne }] of inserts.entries()) {
      const err = errors[index];
      if (err !== undefined) refused.set(insertOne.document.holdId, err);
    }
  }
  return refused;
}

/** The first events of all reservations, then the second ones, and so on. */
function inTurns(events: readonly EventRow[]): EventRow[][] {
  const turns: EventRow[][] = [];
  const countOf = new Map<string, number>();
  for (const event of events) {
    const turn = countOf.get(event.holdId) ?? 0;
    countOf.set(event.holdId, turn + 1);
    (turns[turn] ??= []).push(event);
  }
  return turns;
}

/** An event by its id; those that are asked for at the same time share a read. */
export async function findEvent(db: Db, eventId: string): Promise<EventRow | null> {
  return newestEvent(db)(eventId);
}

const newestEvent = memoizeByObject((db: Db) =>
  newestOf<string, EventRow>(async (eventIds, options) => {
    const events = await findEvents(db, eventIds, options);
    return (eventId) => events.get(eventId);
  }),
);

/** The events of `eventIds` by id. */
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

/** The events of a reservation, oldest first. */
export async function findEventsOfReservation(db: Db, holdId: string): Promise<EventRow[]> {
  return eventCollection(db).find({ holdId }).sort({ at: 1, _id: 1 }).toArray();
}

/** Those of `holdIds` of which there is an event. */
export async function findReservationsWithEvent(db: Db, holdIds: readonly string[]): Promise<Set<string>> {
  const rows = await eventCollection(db)
    .find({ holdId: { $in: [...holdIds] } }, { projection: { _id: 0, holdId: 1 }, ...NEWEST })
    .hint('events_of_reservation')
    .toArray();
  return new Set(rows.map(({ holdId }) => holdId));
}

export type EventRange = {
  types: readonly EventType[];
  venueIds: readonly string[];
  since: Date;
  until: Date;
};

/** Events of these types and venues from `since` to `until`, both included, oldest first, those after `last`. */
export async function findEventsBetween(
  db: Db,
  { types, venueIds, since, until }: EventRange,
  last: Pick<EventRow, '_id' | 'at'> | undefined,
  limit: number,
): Promise<EventRow[]> {
  const beyond =
    last === undefined ? {} : { $or: [{ at: { $gt: last.at } }, { at: last.at, _id: { $gt: last._id } }] };
  return eventCollection(db)
    .find(
      {
        venueId: { $in: [...venueIds] },
        at: { $gte: since, $lte: until },
        type: { $in: [...types] },
        isTest: { $ne: true },
        ...beyond,
      },
      NEWEST,
    )
    .sort({ at: 1, _id: 1 })
    .hint('events_of_venue')
    .limit(limit)
    .toArray();
}

export type FeedFilter = {
  venueIds: readonly string[];
  type?: EventType;
  since?: Date;
  keptMs: number;
  isByTime: boolean;
};

/** When the feed begins, by the database's clock. */
const feedBegin = (keptMs: number): Expression => ({ $subtract: ['$$NOW', keptMs] });

/**
 * Events of the feed after one sequence number and up to another, in its order, none older than `keptMs`. `isByTime` finds them by their time: cheaper where
 * many have numbers of that range and few are as new as `since`.
 */
export async function findFeed(
  db: Db,
  { venueIds, type, since, keptMs, isByTime }: FeedFilter,
  { after, upTo }: { after: number; upTo: number },
  limit: number,
  snapshot: Snapshot,
): Promise<EventRow[]> {
  return eventCollection(db)
    .find(
      {
        venueId: { $in: [...venueIds] },
        sequence: { $gt: after, $lte: upTo },
        $expr: { $gte: ['$at', feedBegin(keptMs)] },
        ...(since === undefined ? {} : { at: { $gte: since } }),
        ...(type === undefined ? {} : { type }),
      },
      inSnapshot(snapshot),
    )
    .sort({ sequence: 1 })
    .hint(isByTime ? 'events_of_venue' : 'feed_of_venue')
    .limit(limit)
    .toArray();
}

/** Overwrites the reasons in the events of these reservations, and drops what was attached; returns the ids of the events. */
export async function eraseTexts(db: Db, holdIds: readonly string[], replacement: string): Promise<string[]> {
  const ofThem = { holdId: { $in: [...holdIds] } };
  await eventCollection(db).updateMany(
    { ...ofThem, reason: { $type: 'string' } },
    { $set: { reason: replacement } },
  );
  const somethingAttached = { ...ofThem, attached: { $exists: true } };
  await eventCollection(db).updateMany(somethingAttached, { $unset: { attached: '' } });
  const rows = await eventCollection(db)
    .find(ofThem, { projection: { _id: 1 } })
    .toArray();
  return rows.map((row) => row._id);
}

/** Removes the sequence numbers of events that are older than `keptMs`, so that readers of the feed need not pass over them. */
export async function removeFromFeed(db: Db, keptMs: number): Promise<number> {
  const { modifiedCount } = await eventCollection(db).updateMany(
    { sequence: { $gt: 0 }, $expr: { $lt: ['$at', feedBegin(keptMs)] } },
    { $unset: { sequence: '' } },
    { hint: 'feed_by_age' },
  );
  return modifiedCount;
}
