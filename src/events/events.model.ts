import type { CollectionDefinition } from '../platform/ensure-collection.ts';
import type { Db } from '../platform/mongo.ts';
import { openCollection } from '../platform/mongo.ts';
import type { RecordedActor } from '../reservations/actor-types.ts';
import type { EventType } from '../reservations/event-types.ts';
import { EVENT_TYPES } from '../reservations/event-types.ts';
import type { Attached } from '../reservations/reservations.model.ts';

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
  actor?: RecordedActor;
  holdExpiresAt: Date | null;
  /** For the originator alone, like `reason`. */
  pricePaise: number;
  reason: string | null;
  /** For the partner alone whose it is. */
  attached?: Attached & { partnerId: string };
  /** A sample that a partner asked for: for its receiver alone, in no feed. */
  isTest?: true;
  /** Its sequence number in the feed, in the order in which events became visible; absent until assigned, and after 30 days (ADR 0010). */
  sequence?: number;
  /** Written by releases up to 1.0.0, which numbered events later; `npm run migrate` numbers those that they left. */
  isUnsequenced?: true;
  /** No event, but a row that takes a sequence number whose range was given up: at no venue, for nobody (ADR 0010). */
  isFiller?: true;
};

export const eventCollection = (db: Db) => openCollection<EventRow>(db, 'events');

/** Sequence numbers that a process has reserved, and is about to write events with: from `from` to `until`, both included. */
export type NumberRange = { id: string; from: number; until: number; at: Date };

/** How far the feed goes; one document (ADR 0010). */
export type FeedCounter = {
  _id: 'feed';
  /** The feed is complete up to here: no event with a number up to this one comes any more. */
  last: number;
  /** The highest number that was reserved; absent until one was. Releases up to 1.0.0 know `last` alone. */
  reserved?: number;
  /** Ranges that events are being written with, in no order; absent until there was one. */
  open?: NumberRange[];
};

export const feedCounterCollection = (db: Db) => openCollection<FeedCounter>(db, 'feed_counters');

export const EVENT_COLLECTIONS: CollectionDefinition[] = [
  {
    name: 'events',
    jsonSchema: { required: ['type', 'at', 'venueId'], properties: { type: { enum: [...EVENT_TYPES] } } },
    indexes: [
      { name: 'events_of_reservation', key: { holdId: 1, at: 1 } },
      {
        name: 'events_of_request',
        key: { 'actor.requestId': 1, at: -1 },
        partialFilterExpression: { 'actor.requestId': { $exists: true } },
      },
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
      // Two events with one sequence number would let a reader that stops between them miss the other.
      {
        name: 'one_event_per_place',
        key: { sequence: 1 },
        unique: true,
        partialFilterExpression: { sequence: { $gt: 0 } },
      },
    ],
  },
  { name: 'feed_counters', indexes: [] },
];
