import type { AvailabilityChange } from '../catalog/changes/changes.model.ts';
import type { CollectionDefinition } from '../platform/ensure-collection.ts';
import { type Db, openCollection } from '../platform/mongo.ts';
import type { RecordedActor } from '../reservations/actor-types.ts';
import { EVENT_TYPES, type EventType } from '../reservations/event-types.ts';
import type { Attached } from '../reservations/reservations.model.ts';

/** A state change in the permanent log. `_id` is the event_id. */
export type EventRow = {
  _id: string;
  type: EventType;
  at: Date;
  venueId: string;
  /** Null in a change of the venue, like `slotId` and `holdId`. */
  resourceId: string | null;
  slotId: string | null;
  /** In a change of the venue `at`, like `slotEnd`: retention and releases up to 1.0.0 read them. */
  slotStart: Date;
  slotEnd: Date;
  holdId: string | null;
  bookingId: string | null;
  originatorId: string;
  /** Only for operators. Absent in samples and in events of older releases. */
  actor?: RecordedActor;
  holdExpiresAt: Date | null;
  /** Only for the originator, like `reason`. */
  pricePaise: number;
  reason: string | null;
  /** In no order. Absent if only its own resource is concerned, and in events of older releases. */
  resourceIdsAffected?: string[];
  /** Only in `availability_changed`. */
  change?: AvailabilityChange;
  /** The only partner that gets the event, with or without a grant; absent if all with a grant for the venue do. */
  receiverId?: string;
  /** Only for this partner. */
  attached?: Attached & { partnerId: string };
  /** A sample that a partner asked for: only for its receiver, and in no feed. */
  isTest?: true;
  /** In the order in which events became visible in the feed; absent in samples, and after 30 days (ADR 0010). */
  sequence?: number;
  /** Releases up to 1.0.0 numbered events later; `npm run migrate` numbers what they left. */
  isUnsequenced?: true;
  /** Not an event: takes a sequence number whose range was given up (ADR 0010). */
  isFiller?: true;
};

export const eventCollection = (db: Db) => openCollection<EventRow>(db, 'events');

/** Sequence numbers that a process has reserved for events, from `from` to `until`, both included. */
export type NumberRange = { id: string; from: number; until: number; at: Date };

export type FeedCounter = {
  _id: 'feed';
  last: number;
  /** The highest reserved number; absent until there was one. Releases up to 1.0.0 know only `last`. */
  reserved?: number;
  /** Reserved ranges whose events are being written, in no order; absent until there was one. */
  open?: NumberRange[];
};

export const feedCounterCollection = (db: Db) => openCollection<FeedCounter>(db, 'feed_counters');

export const EVENT_COLLECTIONS: [CollectionDefinition<EventRow>, CollectionDefinition<FeedCounter>] = [
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
      { name: 'feed_of_venue', key: { venueId: 1, sequence: 1 }, partialFilterExpression: { sequence: { $gt: 0 } } },
      {
        name: 'events_of_receiver',
        key: { receiverId: 1, sequence: 1 },
        partialFilterExpression: { receiverId: { $exists: true } },
      },
      { name: 'feed_by_age', key: { at: 1 }, partialFilterExpression: { sequence: { $gt: 0 } } },
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
