import type { EventRow } from '../events/events.model.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Db } from '../platform/mongo.ts';
import type { DueDelivery } from '../queues/jobs.ts';
import type { Queues } from '../queues/queues.ts';
import type { SubscriptionRow } from '../subscriptions/subscriptions.model.ts';
import type { DeliveryRow } from './deliveries.model.ts';
import type { DeliveriesOf } from './deliveries.store.ts';
import { findPending, upsertDeliveries } from './deliveries.store.ts';
import type { RetryConfig } from './retry-schedule.rules.ts';
import { attemptsLeft } from './retry-schedule.rules.ts';

export type CreateDeliveriesDeps = {
  db: Db;
  clock: Clock;
  queues: Pick<Queues, 'scheduleDeliveries'>;
  config: RetryConfig;
};

/**
 * Gives the event a delivery for each receiver and adds the jobs. Repeating it creates nothing twice; jobs that Redis does
 * not take now are added by the sweep.
 */
export async function createDeliveries(
  deps: CreateDeliveriesDeps,
  event: Pick<EventRow, '_id' | 'type'>,
  receivers: readonly Pick<SubscriptionRow, '_id' | 'partnerId'>[],
): Promise<void> {
  if (receivers.length === 0) return;
  const now = deps.clock.now();
  await upsertDeliveries(
    deps.db,
    receivers.map((receiver) => newDelivery(event, receiver, now)),
  );
  await schedulePending(deps, { eventIds: [event._id] });
}

/** A delivery of which the first attempt is due at `now`. */
export function newDelivery(
  event: Pick<EventRow, '_id' | 'type'>,
  receiver: Pick<SubscriptionRow, '_id' | 'partnerId'>,
  now: Date,
): DeliveryRow {
  return {
    _id: newId(),
    eventId: event._id,
    eventType: event.type,
    subscriptionId: receiver._id,
    partnerId: receiver.partnerId,
    state: 'pending',
    generation: 1,
    attemptsMade: 0,
    attempts: [],
    nextAttemptAt: now,
    leaseUntil: null,
    deadLetteredAt: null,
    createdAt: now,
  };
}

/** Adds the jobs of deliveries that wait for the first attempt of their series; those that are there already stay. */
export async function schedulePending(
  deps: Pick<CreateDeliveriesDeps, 'db' | 'queues' | 'config'>,
  of: DeliveriesOf,
): Promise<void> {
  const pending = await findPending(deps.db, of);
  await deps.queues.scheduleDeliveries(pending.map((row) => dueNow(row, deps.config)));
}

/** The job of a delivery whose next attempt is due. */
export function dueNow(row: DeliveryRow, config: RetryConfig): DueDelivery {
  return {
    deliveryId: row._id,
    subscriptionId: row.subscriptionId,
    partnerId: row.partnerId,
    generation: row.generation,
    attemptsMade: row.attemptsMade,
    attemptsLeft: attemptsLeft(config, row.attemptsMade),
    delayMs: 0,
  };
}
