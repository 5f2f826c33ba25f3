import type { CollectionDefinition } from '../../platform/ensure-collection.ts';
import { type Db, openCollection } from '../../platform/mongo.ts';

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

export const changeCollection = (db: Db) => openCollection<WaitingChange>(db, 'catalog_outbox');

export const CATALOG_OUTBOX: CollectionDefinition<WaitingChange> = {
  name: 'catalog_outbox',
  jsonSchema: { required: ['venueId', 'reason', 'at', 'dueAt'], properties: { reason: { enum: [...CHANGE_REASONS] } } },
  indexes: [{ name: 'waiting_changes', key: { dueAt: 1 } }],
};
