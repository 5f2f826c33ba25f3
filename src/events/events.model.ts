import { availabilityChangeSchema } from '../catalog/changes/changes.model.ts';
import type { Db } from '../platform/mongo.ts';
import {
  collectionOf,
  definitionOf,
  mixed,
  NULLABLE,
  OPTIONAL,
  oneOf,
  partOf,
  REQUIRED,
  type RowOf,
  schemaOf,
} from '../platform/mongo-schema.ts';
import type { RecordedActor } from '../reservations/actor-types.ts';
import { EVENT_TYPES } from '../reservations/event-types.ts';
import type { Attached } from '../reservations/reservations.model.ts';

/** A state change in the permanent log. `_id` is the event_id. */
export type EventRow = RowOf<typeof eventSchema>;

const eventSchema = schemaOf('events', {
  _id: REQUIRED.text,
  type: { type: String, enum: EVENT_TYPES, required: true },
  at: REQUIRED.date,
  venueId: REQUIRED.text,
  /** Null in a change of the venue, like `slotId` and `holdId`. */
  resourceId: NULLABLE.text,
  slotId: NULLABLE.text,
  /** In a change of a venue, `slotStart` and `slotEnd` equal `at`: retention and release 1.0.0 read both. */
  slotStart: REQUIRED.date,
  slotEnd: REQUIRED.date,
  holdId: NULLABLE.text,
  bookingId: NULLABLE.text,
  originatorId: REQUIRED.text,
  /** Shown to operators only. Absent in samples and in events of older releases. */
  actor: mixed<RecordedActor>(),
  holdExpiresAt: NULLABLE.date,
  /** Shown to the originator only, like `reason`. */
  pricePaise: REQUIRED.number,
  reason: NULLABLE.text,
  /** Unordered. Absent if only `resourceId` is concerned, and in events of older releases. */
  resourceIdsAffected: OPTIONAL.texts,
  /** Only in `availability_changed`. */
  change: { type: availabilityChangeSchema },
  /** The only partner that gets the event, with or without a grant. If absent, all of the venue's partners get it. */
  receiverId: OPTIONAL.text,
  /** Shown to `partnerId` only. */
  attached: mixed<Attached & { partnerId: string }>(),
  /** A sample that a partner asked for: sent only to it, and in no feed. */
  isTest: OPTIONAL.mark,
  /** The event's place in the feed; absent in samples, and after 30 days (ADR 0010). */
  sequence: OPTIONAL.number,
  /** Has no number yet: releases up to 1.0.0 numbered events later. `npm run migrate` numbers it. */
  isUnsequenced: OPTIONAL.mark,
  /** Not an event: occupies a sequence number that no event may take any more (ADR 0010). */
  isFiller: OPTIONAL.mark,
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

/** Sequence numbers that a process has reserved for events, from `from` to `until`, both included. */
export type NumberRange = RowOf<typeof numberRangeSchema>;

const numberRangeSchema = partOf({
  id: REQUIRED.text,
  from: REQUIRED.number,
  until: REQUIRED.number,
  at: REQUIRED.date,
});

export type FeedCounter = RowOf<typeof feedCounterSchema>;

const feedCounterSchema = schemaOf('feed_counters', {
  _id: { ...oneOf<'feed'>(), required: true },
  /** The end of the feed: the log has all events up to it. */
  last: REQUIRED.number,
  /** The highest reserved number; absent until there was one. Releases up to 1.0.0 know only `last`. */
  reserved: OPTIONAL.number,
  /** Reserved ranges whose events are being written. The ranges are not sorted; absent until there was one. */
  open: { type: [numberRangeSchema], default: undefined },
});

export const eventCollection = (db: Db) => collectionOf(db, eventSchema);
export const feedCounterCollection = (db: Db) => collectionOf(db, feedCounterSchema);

export const EVENT_COLLECTIONS = [definitionOf(eventSchema), definitionOf(feedCounterSchema)];
