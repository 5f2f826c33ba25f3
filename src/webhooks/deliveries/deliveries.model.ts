import type { Db } from '../../platform/mongo.ts';
import {
  collectionOf,
  definitionOf,
  NULL_OR_ABSENT,
  NULLABLE,
  OPTIONAL,
  oneOf,
  partOf,
  REQUIRED,
  type RowOf,
  schemaOf,
} from '../../platform/mongo-schema.ts';
import { EVENT_TYPES } from '../../reservations/event-types.ts';
import type { DeliveryError, DeliveryErrorDetail } from '../sender/delivery-error.rules.ts';

/**
 * `cancelled`: the subscription was deactivated before delivery, or its partner was suspended or lost the grant for the
 * venue (ADR 0011). `discarded`: a dead letter that an operator has given up.
 */
export const DELIVERY_STATES = ['pending', 'retrying', 'succeeded', 'dead_letter', 'cancelled', 'discarded'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Why an attempt failed, or is not counted: its worker stopped, or its subscription changed meanwhile. */
export type AttemptError = DeliveryError | 'interrupted' | 'subscription_changed';

/** One send. An interrupted send (see AttemptError) is kept but not counted: the next has the same number. */
export type AttemptRow = RowOf<typeof attemptSchema>;

const attemptSchema = partOf({
  /** The delivery_id of the contract: new for every attempt. */
  deliveryId: REQUIRED.text,
  attempt: REQUIRED.number,
  sentAt: REQUIRED.date,
  outcome: { type: String, enum: ['started', 'succeeded', 'failed', 'interrupted'], required: true },
  statusCode: NULLABLE.number,
  error: { ...oneOf<AttemptError>(), default: null },
  /** This and the optional fields below are absent in attempts of older releases. */
  errorDetail: oneOf<DeliveryErrorDetail | null>(),
  redirectTo: NULL_OR_ABSENT.text,
  endpointUrl: OPTIONAL.text,
  /** The `generation` at sending. */
  series: OPTIONAL.number,
  durationMs: NULLABLE.number,
  responseExcerpt: NULLABLE.text,
});

/** One event on its way to one subscription (ADR 0011). */
export type DeliveryRow = RowOf<typeof deliverySchema>;

const deliverySchema = schemaOf('deliveries', {
  _id: REQUIRED.text,
  eventId: REQUIRED.text,
  eventType: { type: String, enum: EVENT_TYPES, required: true },
  subscriptionId: REQUIRED.text,
  partnerId: REQUIRED.text,
  state: { type: String, enum: DELIVERY_STATES, required: true },
  /** Numbers the series (attempt and retries); jobs of earlier series do nothing. */
  generation: REQUIRED.number,
  /** Counted attempts of the current series; `attempts` has those of all series. */
  attemptsMade: REQUIRED.number,
  attempts: { type: [attemptSchema], required: true },
  nextAttemptAt: NULLABLE.date,
  /** Until when the row is locked for the worker that is sending. */
  leaseUntil: NULLABLE.date,
  deadLetteredAt: NULLABLE.date,
  discardedAt: OPTIONAL.date,
  discardReason: OPTIONAL.text,
  /** Present until the operators have been alerted of the dead letter. */
  alertPending: OPTIONAL.mark,
  /** Present until alerting has counted the dead letter, even if a fresh series has begun meanwhile. */
  isUncounted: OPTIONAL.mark,
  createdAt: REQUIRED.date,
});
const index = (name: string, key: Record<string, 1 | -1>, filter?: Record<string, unknown>) =>
  deliverySchema.index(key, { name, ...(filter === undefined ? {} : { partialFilterExpression: filter }) });
const DEAD_LETTERS = { state: 'dead_letter' };

deliverySchema.index({ eventId: 1, subscriptionId: 1 }, { name: 'one_delivery_per_receiver', unique: true });
// Partial, so that a delivery without attempts has no entry.
index('delivery_of_attempt', { 'attempts.deliveryId': 1 }, { 'attempts.deliveryId': { $exists: true } });
index('deliveries_newest', { createdAt: -1, _id: -1 });
index('deliveries_of_subscription', { subscriptionId: 1, createdAt: -1, _id: -1 });
index('deliveries_of_partner', { partnerId: 1, createdAt: -1, _id: -1 });
index('deliveries_by_state', { partnerId: 1, state: 1, createdAt: -1, _id: -1 });
index('due_deliveries', { nextAttemptAt: 1 }, { state: { $in: ['pending', 'retrying'] } });
// Lets MongoDB count each state from the index alone.
index('open_deliveries', { state: 1 }, { state: { $in: ['pending', 'retrying', 'dead_letter'] } });
index('unraised_dead_letters', { alertPending: 1 }, { alertPending: true });
index('uncounted_dead_letters', { isUncounted: 1 }, { isUncounted: true });
index('dead_letters_of_subscription', { subscriptionId: 1 }, DEAD_LETTERS);
index('dead_letters_by_time', { deadLetteredAt: 1, _id: 1 }, DEAD_LETTERS);
index('dead_letters_newest', { createdAt: -1, _id: -1 }, DEAD_LETTERS);

export const deliveryCollection = (db: Db) => collectionOf(db, deliverySchema);

export const DELIVERIES = definitionOf(deliverySchema);
