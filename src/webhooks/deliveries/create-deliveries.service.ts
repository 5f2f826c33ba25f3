import type { EventRow } from '../../events/events.model.ts';
import { newId } from '../../platform/ids.ts';
import type { Db } from '../../platform/mongo.ts';
import type { Queues } from '../../queues/queues.ts';
import type { SubscriptionRow } from '../subscriptions/subscriptions.model.ts';
import type { DeliveryRow } from './deliveries.model.ts';
import { type DeliveriesOf, findPending, type Inserted, insertDeliveries } from './deliveries.store.ts';
import { dueIn, factsOf, findJobFacts } from './delivery-jobs.service.ts';
import type { RetryConfig } from './retry-schedule.rules.ts';

export type CreateDeliveriesDeps = {
  db: Db;
  queues: Pick<Queues, 'scheduleDeliveries'>;
  config: RetryConfig;
};

export type WantedDelivery = {
  event: EventRow;
  receiver: Pick<SubscriptionRow, '_id' | 'partnerId' | 'endpointUrl'>;
};

/**
 * Creates deliveries and adds their jobs; creates nothing twice when repeated. The sweep adds jobs that Redis does not
 * take now, or that a killed process did not add. Returns by event why a delivery could not be created.
 */
export async function createDeliveries(
  deps: CreateDeliveriesDeps,
  wanted: readonly WantedDelivery[],
): Promise<ReadonlyMap<string, Error>> {
  const rows = wanted.map(({ event, receiver }) => newDelivery(event, receiver, event.at));
  const inserted = await insertDeliveries(deps.db, rows);
  const due = wanted.flatMap(({ event, receiver }, index) => {
    const row = rows[index];
    if (row === undefined || inserted[index] !== 'created') return [];
    return dueIn(0, row, factsOf(event, receiver.endpointUrl), deps.config);
  });
  if (due.length > 0) await deps.queues.scheduleDeliveries(due);
  return failuresOf(rows, inserted);
}

export function failuresOf(rows: readonly DeliveryRow[], inserted: readonly Inserted[]): ReadonlyMap<string, Error> {
  const failures = new Map<string, Error>();
  for (const [index, { eventId }] of rows.entries()) {
    const outcome = inserted[index];
    if (outcome instanceof Error) failures.set(eventId, outcome);
  }
  return failures;
}

/**
 * A delivery with a first attempt due at `at`. An insert cannot read the database's clock, so the caller passes the
 * time.
 */
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

/** Adds the jobs of deliveries that are waiting for the first attempt of a series; existing jobs stay. */
export async function schedulePending(deps: CreateDeliveriesDeps, of: DeliveriesOf): Promise<void> {
  const rows = await findPending(deps.db, of);
  if (rows.length === 0) return;
  const facts = await findJobFacts(deps.db, rows);
  await deps.queues.scheduleDeliveries(rows.map((row) => dueIn(0, row, facts(row), deps.config)));
}
