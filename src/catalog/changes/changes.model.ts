import type { Db } from '../../platform/mongo.ts';
import {
  collectionOf,
  definitionOf,
  type FieldsOf,
  NULLABLE,
  OPTIONAL,
  REQUIRED,
  schemaOf,
} from '../../platform/mongo-schema.ts';

/** Why the availability of a venue changed. */
export const CHANGE_REASONS = ['blackout', 'prices', 'schedule', 'resource', 'venue', 'grant'] as const;

/** A change of what is sold at a venue. `resourceIds`: null for all of its resources; `from`, `to`: null for no bound. */
export type AvailabilityChange = {
  reason: (typeof CHANGE_REASONS)[number];
  resourceIds: string[] | null;
  from: Date | null;
  to: Date | null;
};

/** A change that waits to be dispatched as `availability_changed` (ADR 0009). `_id` is the event_id. */
export type WaitingChange = AvailabilityChange & {
  _id: string;
  venueId: string;
  at: Date;
  /** When reads of availability show the change at every process, so that a receiver that reads it then sees it. */
  dueAt: Date;
  /** The only partner that gets it; absent if all with a grant for the venue do. */
  receiverId?: string;
};

/** An `AvailabilityChange`, as it waits and in its event. */
export const CHANGE: FieldsOf<AvailabilityChange> = {
  reason: { type: String, enum: CHANGE_REASONS, required: true },
  resourceIds: NULLABLE.texts,
  from: NULLABLE.date,
  to: NULLABLE.date,
};

const changeSchema = schemaOf<WaitingChange>('catalog_outbox', {
  _id: REQUIRED.text,
  ...CHANGE,
  venueId: REQUIRED.text,
  at: REQUIRED.date,
  dueAt: REQUIRED.date,
  receiverId: OPTIONAL.text,
});
changeSchema.index({ dueAt: 1 }, { name: 'waiting_changes' });

export const changeCollection = (db: Db) => collectionOf(db, changeSchema);

export const CATALOG_OUTBOX = definitionOf(changeSchema);
