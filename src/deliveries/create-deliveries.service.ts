import type { EventRow } from '../events/events.model.ts';
import { newId } from '../platform/ids.ts';
import type { Db } from '../platform/mongo.ts';
import type { DueDelivery } from '../queues/jobs.ts';
import type { Queues } from '../queues/queues.ts';
import type { SubscriptionRow } from '../subscriptions/subscriptions.model.ts';
import type { DeliveryRow } from './deliveries.model.ts';
import type { DeliveriesOf } from './deliveries.store.ts';
import { findPending, insertDeliveries } from './deliveries.store.ts';
import type { RetryConfig } from './retry-schedule.rules.ts';
import { attemptsLeft } from './retry-schedule.rules.ts';

export type CreateDeliveriesDeps = {
  db: Db;
  queues: Pick<Queues, 'scheduleDeliveries'>;
  config: RetryConfig;
};

/** An event, and a subscription that is to receive it. */
export type WantedDelivery = {
  event: Pick<EventRow, '_id' | 'type' | 'at'>;
  receiver: Pick<SubscriptionRow, '_id' | 'partnerId'>;
};

/**
 * Creates the deliveries that are wanted and adds their jobs, however many there are. Repeating it creates nothing twice; jobs that
 * Redis does not take now are added by the sweep. Returns, by its event, the error of a delivery that could not be created.
 * They are dated when their events happened: that is by the database's clock, which an insert cannot read, and due at once.
 */
export async function createDeliveries(
  deps: CreateDeliveriesDeps,
  wanted: readonly WantedDelivery[],
): Promise<Map<string, Error>> {
  const rows = wanted.map(({ event, receiver }) => newDelivery(event, receiver, event.at));
  const inserted = await insertDeliveries(deps.db, rows);
  const created = rows.filter((_, index) => inserted[index] === 'created');
  const existing = rows.filter((_, index) => inserted[index] === 'exists');
  // Whoever created those may have ended before it added their jobs.
  const eventIds = existing.map(({ eventId }) => eventId);
  const pending = eventIds.length === 0 ? [] : await findPending(deps.db, { eventIds });
  await schedule(deps, [...created, ...pending]);
  return new Map(
    rows.flatMap(({ eventId }, index) => {
      const outcome = inserted[index];
      return outcome instanceof Error ? [[eventId, outcome]] : [];
    }),
  );
}

/** A delivery of which the first attempt is due at `at`, an instant of the database's clock. */
export function newDelivery(
  event: Pick<EventRow, '_id' | 'type'>,
  receiver: Pick<SubscriptionRow, '_id' | 'partnerId'>,
  at: Date,
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
    nextAttemptAt: at,
    leaseUntil: null,
    deadLetteredAt: null,
    createdAt: at,
  };
}

/** Adds the jobs of deliveries that wait for the first attempt of their series; those that are there already stay. */
export async function schedulePending(
  deps: Pick<CreateDeliveriesDeps, 'db' | 'queues' | 'config'>,
  of: DeliveriesOf,
): Promise<void> {
  await schedule(deps, await findPending(deps.db, of));
}

async function schedule(
  { queues, config }: Pick<CreateDeliveriesDeps, 'queues' | 'config'>,
  rows: readonly DeliveryRow[],
): Promise<void> {
  if (rows.length > 0) await queues.scheduleDeliveries(rows.map((row) => dueNow(row, config)));
}

/** The job of a delivery whose next attempt is due. */
export function dueNow(row: DeliveryRow, config: RetryConfig): DueDelivery {
  return {
    deliveryId: row._id,
    eventId: row.eventId,
    subscriptionId: row.subscriptionId,
    partnerId: row.partnerId,
    generation: row.generation,
    attemptsMade: row.attemptsMade,
    attemptsLeft: attemptsLeft(config, row.attemptsMade),
    delayMs: 0,
  };
}
