import { type AvailabilityChange, CHANGE } from '../catalog/changes/changes.model.ts';
import type { Db } from '../platform/mongo.ts';
import {
  collectionOf,
  definitionOf,
  MIXED,
  NULLABLE,
  OPTIONAL,
  partOf,
  REQUIRED,
  schemaOf,
} from '../platform/mongo-schema.ts';
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
  /** In a change of a venue, `slotStart` and `slotEnd` equal `at`: retention and release 1.0.0 read both. */
  slotStart: Date;
  slotEnd: Date;
  holdId: string | null;
  bookingId: string | null;
  originatorId: string;
  /** Shown to operators only. Absent in samples and in events of older releases. */
  actor?: RecordedActor;
  holdExpiresAt: Date | null;
  /** Shown to the originator only, like `reason`. */
  pricePaise: number;
  reason: string | null;
  /** Unordered. Absent if only `resourceId` is concerned, and in events of older releases. */
  resourceIdsAffected?: string[];
  /** Only in `availability_changed`. */
  change?: AvailabilityChange;
  /** The only partner that gets the event, with or without a grant. If absent, all of the venue's partners get it. */
  receiverId?: string;
  /** Shown to `partnerId` only. */
  attached?: Attached & { partnerId: string };
  /** A sample that a partner asked for: sent only to it, and in no feed. */
  isTest?: true;
  /** The event's place in the feed; absent in samples, and after 30 days (ADR 0010). */
  sequence?: number;
  /** Has no number yet: releases up to 1.0.0 numbered events later. `npm run migrate` numbers it. */
  isUnsequenced?: true;
  /** Not an event: occupies a sequence number that no event may take any more (ADR 0010). */
  isFiller?: true;
};

/** Sequence numbers that a process has reserved for events, from `from` to `until`, both included. */
export type NumberRange = { id: string; from: number; until: number; at: Date };

export type FeedCounter = {
  _id: 'feed';
  /** The end of the feed: the log has all events up to it. */
  last: number;
  /** The highest reserved number; absent until there was one. Releases up to 1.0.0 know only `last`. */
  reserved?: number;
  /** Reserved ranges whose events are being written. The ranges are not sorted; absent until there was one. */
  open?: NumberRange[];
};

const eventSchema = schemaOf<EventRow>('events', {
  _id: REQUIRED.text,
  type: { type: String, enum: EVENT_TYPES, required: true },
  at: REQUIRED.date,
  venueId: REQUIRED.text,
  resourceId: NULLABLE.text,
  slotId: NULLABLE.text,
  slotStart: REQUIRED.date,
  slotEnd: REQUIRED.date,
  holdId: NULLABLE.text,
  bookingId: NULLABLE.text,
  originatorId: REQUIRED.text,
  actor: MIXED,
  holdExpiresAt: NULLABLE.date,
  pricePaise: REQUIRED.number,
  reason: NULLABLE.text,
  resourceIdsAffected: OPTIONAL.texts,
  change: { type: partOf<AvailabilityChange>(CHANGE) },
  receiverId: OPTIONAL.text,
  attached: MIXED,
  isTest: OPTIONAL.flag,
  sequence: OPTIONAL.number,
  isUnsequenced: OPTIONAL.flag,
  isFiller: OPTIONAL.flag,
});
const NUMBERED = { sequence: { $gt: 0 } };

eventSchema.index({ holdId: 1, at: 1 }, { name: 'events_of_reservation' });
eventSchema.index(
  { 'actor.requestId': 1, at: -1 },
  { name: 'events_of_request', partialFilterExpression: { 'actor.requestId': { $exists: true } } },
);
eventSchema.index({ venueId: 1, at: 1, _id: 1 }, { name: 'events_of_venue' });
eventSchema.index({ venueId: 1, sequence: 1 }, { name: 'feed_of_venue', partialFilterExpression: NUMBERED });
eventSchema.index(
  { receiverId: 1, sequence: 1 },
  { name: 'events_of_receiver', partialFilterExpression: { receiverId: { $exists: true } } },
);
eventSchema.index({ at: 1 }, { name: 'feed_by_age', partialFilterExpression: NUMBERED });
// With two events of one number, a reader that stops after one would miss the other.
eventSchema.index({ sequence: 1 }, { name: 'one_event_per_place', unique: true, partialFilterExpression: NUMBERED });

const feedCounterSchema = schemaOf<FeedCounter>('feed_counters', {
  _id: REQUIRED.text,
  last: REQUIRED.number,
  reserved: OPTIONAL.number,
  open: {
    type: [
      partOf<NumberRange>({ id: REQUIRED.text, from: REQUIRED.number, until: REQUIRED.number, at: REQUIRED.date }),
    ],
    default: undefined,
  },
});

export const eventCollection = (db: Db) => collectionOf(db, eventSchema);
export const feedCounterCollection = (db: Db) => collectionOf(db, feedCounterSchema);

export const EVENT_COLLECTIONS = [definitionOf(eventSchema), definitionOf(feedCounterSchema)];
