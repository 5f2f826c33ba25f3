import type { Db } from '../../platform/mongo.ts';
import {
  collectionOf,
  definitionOf,
  NULLABLE,
  OPTIONAL,
  partOf,
  REQUIRED,
  type RowOf,
  schemaOf,
} from '../../platform/mongo-schema.ts';

/** Why the availability of a venue changed. */
export const CHANGE_REASONS = ['blackout', 'prices', 'schedule', 'resource', 'venue', 'grant'] as const;

const CHANGE = {
  reason: { type: String, enum: CHANGE_REASONS, required: true },
  resourceIds: NULLABLE.texts,
  from: NULLABLE.date,
  to: NULLABLE.date,
} as const;

/** A change of what a venue sells. `resourceIds`: null for all its resources; `from`, `to`: null for no bound. */
export type AvailabilityChange = RowOf<typeof availabilityChangeSchema>;

export const availabilityChangeSchema = partOf(CHANGE);

/** A change that waits to be dispatched as `availability_changed` (ADR 0009). `_id` is the event_id. */
export type WaitingChange = RowOf<typeof changeSchema>;

const changeSchema = schemaOf('catalog_outbox', {
  _id: REQUIRED.text,
  ...CHANGE,
  venueId: REQUIRED.text,
  at: REQUIRED.date,
  /** From this instant, availability at every process shows the change, so that receivers of the event see it. */
  dueAt: REQUIRED.date,
  /** The only partner that gets the event; absent if all of the venue's partners do. */
  receiverId: OPTIONAL.text,
});
changeSchema.index({ dueAt: 1 }, { name: 'waiting_changes' });

export const changeCollection = (db: Db) => collectionOf(db, changeSchema);

export const CATALOG_OUTBOX = definitionOf(changeSchema);
