import type { CollectionDefinition } from '../../platform/ensure-collection.ts';
import { type Db, openCollection } from '../../platform/mongo.ts';
import type { EventType } from '../../reservations/event-types.ts';
import type { DeliveryError, DeliveryErrorDetail } from '../sender/delivery-error.rules.ts';

/**
 * `cancelled`: the subscription was deactivated before delivery, or its partner was suspended or lost the grant for the
 * venue (ADR 0011). `discarded`: a dead letter that an operator has given up.
 */
export const DELIVERY_STATES = ['pending', 'retrying', 'succeeded', 'dead_letter', 'cancelled', 'discarded'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Why an attempt failed, or is not counted: its worker stopped, or its subscription changed meanwhile. */
export type AttemptError = DeliveryError | 'interrupted' | 'subscription_changed';

/** One send. An interrupted one (see AttemptError) is kept and not counted: the next has its number again. */
export type AttemptRow = {
  /** The delivery_id of the contract: new for every attempt. */
  deliveryId: string;
  attempt: number;
  sentAt: Date;
  outcome: 'started' | 'succeeded' | 'failed' | 'interrupted';
  statusCode: number | null;
  error: AttemptError | null;
  /** This and the optional fields below are absent in attempts of older releases. */
  errorDetail?: DeliveryErrorDetail | null;
  redirectTo?: string | null;
  endpointUrl?: string;
  /** The delivery's `generation` then. */
  series?: number;
  durationMs: number | null;
  responseExcerpt: string | null;
};

/** One event on its way to one subscription (ADR 0011). */
export type DeliveryRow = {
  _id: string;
  eventId: string;
  eventType: EventType;
  subscriptionId: string;
  partnerId: string;
  state: DeliveryState;
  /** Counts series of attempts; a job of an earlier series does nothing. */
  generation: number;
  attemptsMade: number;
  attempts: AttemptRow[];
  nextAttemptAt: Date | null;
  /** Until when the row is locked for the worker that is sending. */
  leaseUntil: Date | null;
  deadLetteredAt: Date | null;
  discardedAt?: Date;
  discardReason?: string;
  /** Present until the operators have been alerted of the dead letter. */
  alertPending?: true;
  /** Present until alerting has counted the dead letter, even if a fresh series has begun meanwhile. */
  isUncounted?: true;
  createdAt: Date;
};

export const deliveryCollection = (db: Db) => openCollection<DeliveryRow>(db, 'deliveries');

const DEAD_LETTERS = { partialFilterExpression: { state: 'dead_letter' } };

export const DELIVERIES: CollectionDefinition<DeliveryRow> = {
  name: 'deliveries',
  jsonSchema: {
    required: ['eventId', 'subscriptionId', 'partnerId', 'state', 'generation', 'attemptsMade', 'attempts'],
    properties: { state: { enum: [...DELIVERY_STATES] } },
  },
  indexes: [
    { name: 'one_delivery_per_receiver', key: { eventId: 1, subscriptionId: 1 }, unique: true },
    // Partial, so that a delivery without attempts has no entry.
    {
      name: 'delivery_of_attempt',
      key: { 'attempts.deliveryId': 1 },
      partialFilterExpression: { 'attempts.deliveryId': { $exists: true } },
    },
    { name: 'deliveries_newest', key: { createdAt: -1, _id: -1 } },
    { name: 'deliveries_of_subscription', key: { subscriptionId: 1, createdAt: -1, _id: -1 } },
    { name: 'deliveries_of_partner', key: { partnerId: 1, createdAt: -1, _id: -1 } },
    { name: 'deliveries_by_state', key: { partnerId: 1, state: 1, createdAt: -1, _id: -1 } },
    {
      name: 'due_deliveries',
      key: { nextAttemptAt: 1 },
      partialFilterExpression: { state: { $in: ['pending', 'retrying'] } },
    },
    // To count each state from the index alone.
    {
      name: 'open_deliveries',
      key: { state: 1 },
      partialFilterExpression: { state: { $in: ['pending', 'retrying', 'dead_letter'] } },
    },
    {
      name: 'unraised_dead_letters',
      key: { alertPending: 1 },
      partialFilterExpression: { alertPending: true },
    },
    {
      name: 'uncounted_dead_letters',
      key: { isUncounted: 1 },
      partialFilterExpression: { isUncounted: true },
    },
    { name: 'dead_letters_of_subscription', key: { subscriptionId: 1 }, ...DEAD_LETTERS },
    { name: 'dead_letters_by_time', key: { deadLetteredAt: 1, _id: 1 }, ...DEAD_LETTERS },
    { name: 'dead_letters_newest', key: { createdAt: -1, _id: -1 }, ...DEAD_LETTERS },
  ],
};
