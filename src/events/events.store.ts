import mongoose from 'mongoose';
import type { Db } from '../platform/mongo.ts';
import type { EventRow } from './events.model.ts';
import { eventModel } from './events.model.ts';

/** Writes events to the log; one that is there already stays as it is. */
export async function appendEvents(db: Db, events: readonly EventRow[]): Promise<void> {
  await eventModel(db).bulkWrite(
    events.map(({ _id, ...fields }) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true },
    })),
    { ordered: false },
  );
}

export async function findEvent(db: Db, eventId: string): Promise<EventRow | null> {
  return eventModel(db).findById(eventId).lean();
}

/** The events of `eventIds` by id. */
export async function findEvents(db: Db, eventIds: readonly string[]): Promise<Map<string, EventRow>> {
  const rows = await eventModel(db)
    .find({ _id: mongoose.trusted({ $in: [...eventIds] }) })
    .lean();
  return new Map(rows.map((row) => [row._id, row]));
}
