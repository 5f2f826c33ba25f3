import type { Model } from 'mongoose';
import { Schema } from 'mongoose';
import type { CollectionDefinition } from '../platform/ensure-collection.ts';
import type { Db } from '../platform/mongo.ts';
import { collectionOf, modelOf } from '../platform/mongo.ts';
import type { Actor } from '../reservations/actor-types.ts';
import type { EventType } from '../reservations/event-types.ts';
import { EVENT_TYPES } from '../reservations/event-types.ts';

/** A state change in the permanent log, as it happened. `_id` is the event_id. */
export type EventRow = {
  _id: string;
  type: EventType;
  at: Date;
  venueId: string;
  resourceId: string;
  slotId: string;
  slotStart: Date;
  slotEnd: Date;
  holdId: string;
  bookingId: string | null;
  originatorId: string;
  /** For operators alone. Absent in samples and in what older releases wrote. */
  actor?: Actor;
  holdExpiresAt: Date | null;
  /** For the originator alone, like `reason`. */
  pricePaise: number;
  reason: string | null;
  /** A sample that a partner asked for: for its receiver alone, in no feed. */
  isTest?: true;
  /** Its place in the feed, by the order in which events became visible; absent until it has one, and after 30 days (ADR 0007). */
  sequence?: number;
  /** Present until it has its place. */
  isUnsequenced?: true;
};

const eventSchema = new Schema<EventRow>(
  {
    _id: { type: String, required: true },
    type: { type: String, enum: EVENT_TYPES, required: true },
    at: { type: Date, required: true },
    venueId: { type: String, required: true },
    resourceId: { type: String, required: true },
    slotId: { type: String, required: true },
    slotStart: { type: Date, required: true },
    slotEnd: { type: Date, required: true },
    holdId: { type: String, required: true },
    bookingId: { type: String, default: null },
    originatorId: { type: String, required: true },
    actor: Schema.Types.Mixed,
    holdExpiresAt: { type: Date, default: null },
    pricePaise: { type: Number, required: true },
    reason: { type: String, default: null },
    isTest: Boolean,
    sequence: Number,
    isUnsequenced: Boolean,
  },
  { collection: 'events', versionKey: false },
);

const eventModel = (db: Db): Model<EventRow> => modelOf(db, 'Event', eventSchema);

/** The collection as the driver has it, for hot reads and updates by pipeline. */
export const eventCollection = (db: Db) => collectionOf(eventModel(db));

/** The last place of the feed that was given; one document. */
export type FeedCounter = { _id: 'feed'; last: number };

const feedCounterSchema = new Schema<FeedCounter>(
  { _id: { type: String, required: true }, last: { type: Number, required: true } },
  { collection: 'feed_counters', versionKey: false },
);

export const feedCounterCollection = (db: Db) => collectionOf(modelOf(db, 'FeedCounter', feedCounterSchema));

export const EVENT_COLLECTIONS: CollectionDefinition[] = [
  {
    name: 'events',
    jsonSchema: { required: ['type', 'at', 'venueId'], properties: { type: { enum: [...EVENT_TYPES] } } },
    indexes: [
      { name: 'events_of_reservation', key: { holdId: 1, at: 1 } },
      { name: 'events_of_venue', key: { venueId: 1, at: 1, _id: 1 } },
      {
        name: 'feed_of_venue',
        key: { venueId: 1, sequence: 1 },
        partialFilterExpression: { sequence: { $gt: 0 } },
      },
      {
        name: 'feed_by_age',
        key: { at: 1 },
        partialFilterExpression: { sequence: { $gt: 0 } },
      },
      // Two events with one place would let a reader that stops between them miss the other.
      {
        name: 'one_event_per_place',
        key: { sequence: 1 },
        unique: true,
        partialFilterExpression: { sequence: { $gt: 0 } },
      },
      {
        name: 'unsequenced_events_by_instant',
        key: { isUnsequenced: 1, at: 1, _id: 1 },
        partialFilterExpression: { isUnsequenced: true },
      },
    ],
  },
  { name: 'feed_counters', indexes: [] },
];
