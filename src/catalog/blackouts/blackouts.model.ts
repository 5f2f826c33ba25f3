import type { CollectionDefinition } from '../../platform/ensure-collection.ts';
import { type Db, openCollection } from '../../platform/mongo.ts';

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
  createdAt: Date;
};

export const blackoutCollection = (db: Db) => openCollection<BlackoutRow>(db, 'blackouts');

export const BLACKOUTS: CollectionDefinition<BlackoutRow> = {
  name: 'blackouts',
  jsonSchema: {
    required: ['venueId', 'startsAt', 'endsAt', 'resourceIds', 'reason'],
    properties: {
      startsAt: { bsonType: 'date' },
      endsAt: { bsonType: 'date' },
      resourceIds: { bsonType: ['array', 'null'] },
    },
  },
  // By their end: past blackouts do not slow reads.
  indexes: [{ name: 'blackouts_of_venue', key: { venueId: 1, endsAt: 1 } }],
};
