import { Schema } from 'mongoose';
import type { CollectionDefinition } from '../platform/ensure-collection.ts';
import type { Db } from '../platform/mongo.ts';
import { collectionOf, modelOf } from '../platform/mongo.ts';

/** A time in which resources of a venue cannot be sold. */
export type BlackoutRow = {
  _id: string;
  venueId: string;
  startsAt: Date;
  /** Exclusive. */
  endsAt: Date;
  /** Null: all resources of the venue, those added later too. */
  resourceIds: string[] | null;
  reason: string;
  /** By the database's clock, as the `placedAt` of claims. */
  createdAt: Date;
  /** The venue's `claimFence` at which it was made: its place among the venue's changes of shared ground. Absent in what older releases wrote. */
  fence?: number;
  /** Which of the claims placed shortly before it (`mayBeUnreported`) its report named; absent until that was read. */
  reportedIds?: string[];
};

const blackoutSchema = new Schema<BlackoutRow>(
  {
    _id: { type: String, required: true },
    venueId: { type: String, required: true },
    startsAt: { type: Date, required: true },
    endsAt: { type: Date, required: true },
    resourceIds: { type: [String], default: null },
    reason: { type: String, required: true },
    createdAt: { type: Date, required: true },
    fence: Number,
    reportedIds: { type: [String], default: undefined },
  },
  { collection: 'blackouts', versionKey: false },
);

/** The collection as the driver has it: every hold and every availability response reads it. */
export const blackoutCollection = (db: Db) => collectionOf(modelOf(db, 'Blackout', blackoutSchema));

export const BLACKOUTS: CollectionDefinition = {
  name: 'blackouts',
  jsonSchema: {
    required: ['venueId', 'startsAt', 'endsAt', 'resourceIds', 'reason'],
    properties: {
      startsAt: { bsonType: 'date' },
      endsAt: { bsonType: 'date' },
      resourceIds: { bsonType: ['array', 'null'] },
    },
  },
  // Read by their end, so that a venue's past does not slow it down.
  indexes: [{ name: 'blackouts_of_venue', key: { venueId: 1, endsAt: 1 } }],
};
