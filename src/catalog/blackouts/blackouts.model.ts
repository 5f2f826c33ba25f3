import type { Db } from '../../platform/mongo.ts';
import { collectionOf, definitionOf, NULLABLE, REQUIRED, type RowOf, schemaOf } from '../../platform/mongo-schema.ts';

/** A time in which resources of a venue cannot be sold. */
export type BlackoutRow = RowOf<typeof blackoutSchema>;

const blackoutSchema = schemaOf('blackouts', {
  _id: REQUIRED.text,
  venueId: REQUIRED.text,
  startsAt: REQUIRED.date,
  /** Exclusive. */
  endsAt: REQUIRED.date,
  /** Null: all resources of the venue, including later ones. */
  resourceIds: NULLABLE.texts,
  reason: REQUIRED.text,
  createdAt: REQUIRED.date,
});
// Sorted by end, so that reads skip blackouts that have ended.
blackoutSchema.index({ venueId: 1, endsAt: 1 }, { name: 'blackouts_of_venue' });

export const blackoutCollection = (db: Db) => collectionOf(db, blackoutSchema);

export const BLACKOUTS = definitionOf(blackoutSchema, { required: ['resourceIds'] });
