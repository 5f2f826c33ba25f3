import type { Model } from 'mongoose';
import type { Db } from '../../platform/mongo.ts';
import {
  collectionOf,
  definitionOf,
  modelOf,
  NULL_OR_ABSENT,
  NULLABLE,
  OPTIONAL,
  REQUIRED,
  type RowOf,
  schemaOf,
} from '../../platform/mongo-schema.ts';
import { EVENT_TYPES } from '../../reservations/event-types.ts';

export type SubscriptionRow = RowOf<typeof subscriptionSchema>;

const subscriptionSchema = schemaOf('webhook_subscriptions', {
  _id: REQUIRED.text,
  partnerId: REQUIRED.text,
  /** 0 to 19, unique for the partner, so that concurrent calls cannot exceed the limit. */
  ordinal: REQUIRED.number,
  endpointUrl: REQUIRED.text,
  eventTypes: { type: [{ type: String, enum: EVENT_TYPES }], required: true },
  /** Only events of these venues are delivered. Null, or absent in old rows: events of all granted venues. */
  venueIds: NULL_OR_ABSENT.texts,
  status: { type: String, enum: ['active', 'inactive'], required: true },
  /** The secret, encrypted by AES-256-GCM, bound to `_id` and `partnerId` (ADR 0013). */
  sealedSecret: REQUIRED.text,
  secretRotatedAt: NULLABLE.date,
  /** The secret before the last rotation, which signs deliveries too until `previousSecretUntil`. */
  sealedPreviousSecret: NULLABLE.text,
  previousSecretUntil: NULLABLE.date,
  createdAt: REQUIRED.date,
  /** Failed attempts since the last success, over all deliveries. */
  consecutiveFailures: { ...REQUIRED.number, default: 0 },
  /** When the first failure since the last success happened; absent without failures, and in old rows. */
  failingSince: OPTIONAL.date,
  lastSuccessAt: NULLABLE.date,
  lastFailureAt: NULLABLE.date,
});
subscriptionSchema.index({ partnerId: 1, ordinal: 1 }, { name: 'subscriptions_of_partner', unique: true });
subscriptionSchema.index({ createdAt: -1, _id: -1 }, { name: 'subscriptions_newest' });
subscriptionSchema.index(
  { failingSince: 1 },
  { name: 'failing_subscriptions', partialFilterExpression: { failingSince: { $exists: true } } },
);

export const subscriptionModel = (db: Db): Model<SubscriptionRow> => modelOf(db, subscriptionSchema);

export const subscriptionCollection = (db: Db) => collectionOf(db, subscriptionSchema);

export const SUBSCRIPTIONS = definitionOf(subscriptionSchema);
