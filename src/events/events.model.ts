import type { Model } from 'mongoose';
import { Schema } from 'mongoose';
import type { CollectionDefinition } from '../platform/collections.ts';
import type { Db } from '../platform/mongo.ts';
import { modelOf } from '../platform/mongo.ts';
import type { EventType } from './event-types.ts';
import { EVENT_TYPES } from './event-types.ts';

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
  holdExpiresAt: Date | null;
  /** For the originator alone, like `reason` (decisions §6). */
  pricePaise: number;
  reason: string | null;
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
    holdExpiresAt: { type: Date, default: null },
    pricePaise: { type: Number, required: true },
    reason: { type: String, default: null },
  },
  { collection: 'events', versionKey: false },
);

export const eventModel = (db: Db): Model<EventRow> => modelOf(db, 'Event', eventSchema);

export const EVENTS: CollectionDefinition = {
  name: 'events',
  jsonSchema: { required: ['type', 'at', 'venueId'], properties: { type: { enum: [...EVENT_TYPES] } } },
  indexes: [{ name: 'events_of_reservation', key: { holdId: 1, at: 1 } }],
};
