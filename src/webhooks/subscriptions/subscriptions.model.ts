import { type Model, Schema } from 'mongoose';
import type { CollectionDefinition } from '../../platform/ensure-collection.ts';
import { collectionOf, type Db, modelOf } from '../../platform/mongo.ts';
import { EVENT_TYPES, type EventType } from '../../reservations/event-types.ts';

export type SubscriptionRow = {
  _id: string;
  partnerId: string;
  /** 0 to 19, unique for the partner: keeps racing creates within the limit. */
  ordinal: number;
  endpointUrl: string;
  eventTypes: EventType[];
  /** Only events of these venues are delivered; null, and absent in rows of older releases: of all granted ones. */
  venueIds?: string[] | null;
  status: 'active' | 'inactive';
  /** The secret under AES-256-GCM, bound to `_id` and `partnerId` (ADR 0013). */
  sealedSecret: string;
  secretRotatedAt: Date | null;
  /** The secret before the last rotation, which signs deliveries too until `previousSecretUntil`. */
  sealedPreviousSecret: string | null;
  previousSecretUntil: Date | null;
  createdAt: Date;
  /** Failed attempts since the last success, over all deliveries. */
  consecutiveFailures: number;
  /** When the first of them was; absent without any, and in rows of older releases. */
  failingSince?: Date;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
};

const subscriptionSchema = new Schema<SubscriptionRow>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    ordinal: { type: Number, required: true },
    endpointUrl: { type: String, required: true },
    eventTypes: { type: [{ type: String, enum: EVENT_TYPES }], required: true },
    venueIds: { type: [String], default: null },
    status: { type: String, enum: ['active', 'inactive'], required: true },
    sealedSecret: { type: String, required: true },
    secretRotatedAt: { type: Date, default: null },
    sealedPreviousSecret: { type: String, default: null },
    previousSecretUntil: { type: Date, default: null },
    createdAt: { type: Date, required: true },
    consecutiveFailures: { type: Number, default: 0 },
    failingSince: Date,
    lastSuccessAt: { type: Date, default: null },
    lastFailureAt: { type: Date, default: null },
  },
  { collection: 'webhook_subscriptions', versionKey: false },
);

export const subscriptionModel = (db: Db): Model<SubscriptionRow> => modelOf(db, 'Subscription', subscriptionSchema);

/** The driver's collection, for updates by pipeline. */
export const subscriptionCollection = (db: Db) => collectionOf(subscriptionModel(db));

export const SUBSCRIPTIONS: CollectionDefinition<SubscriptionRow> = {
  name: 'webhook_subscriptions',
  jsonSchema: {
    required: ['partnerId', 'ordinal', 'endpointUrl', 'eventTypes', 'status', 'sealedSecret'],
    properties: { status: { enum: ['active', 'inactive'] } },
  },
  indexes: [
    { name: 'subscriptions_of_partner', key: { partnerId: 1, ordinal: 1 }, unique: true },
    { name: 'subscriptions_newest', key: { createdAt: -1, _id: -1 } },
    { name: 'receivers_of_event', key: { eventTypes: 1, status: 1 } },
    {
      name: 'failing_subscriptions',
      key: { failingSince: 1 },
      partialFilterExpression: { failingSince: { $exists: true } },
    },
  ],
};
