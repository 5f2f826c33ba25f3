import type { Db } from '../../platform/mongo.ts';
import { collectionOf, definitionOf, NULLABLE, REQUIRED, schemaOf } from '../../platform/mongo-schema.ts';

/** A time in which resources of a venue cannot be sold. */
export type BlackoutRow = {
  _id: string;
  venueId: string;
  startsAt: Date;
  /** Exclusive. */
  endsAt: Date;
  /** Null: all resources of the venue, including later ones. */
  resourceIds: string[] | null;
  reason: string;
  createdAt: Date;
};

const blackoutSchema = schemaOf<BlackoutRow>('blackouts', {
  _id: REQUIRED.text,
  venueId: REQUIRED.text,
  startsAt: REQUIRED.date,
  endsAt: REQUIRED.date,
  resourceIds: NULLABLE.texts,
  reason: REQUIRED.text,
  createdAt: REQUIRED.date,
});
// Sorted by end, so that reads skip blackouts that have ended.
blackoutSchema.index({ venueId: 1, endsAt: 1 }, { name: 'blackouts_of_venue' });

export const blackoutCollection = (db: Db) => collectionOf(db, blackoutSchema);

export const BLACKOUTS = definitionOf(blackoutSchema, { required: ['resourceIds'] });
