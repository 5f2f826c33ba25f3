import type { EventRow } from '../../events/events.model.ts';
import { toEventRows } from '../../events/events.rules.ts';
import { logEvents } from '../../events/log-events.service.ts';
import { batched } from '../../platform/batched.ts';
import { groupBy } from '../../platform/group-by.ts';
import type { Logger } from '../../platform/logger.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import type { Db } from '../../platform/mongo.ts';
import type { Queues } from '../../queues/queues.ts';
import { findOutboxes } from '../../reservations/reservation-reads.store.ts';
import { removeFromOutboxes } from '../../reservations/reservations.store.ts';
import type { WantedDelivery } from '../deliveries/create-deliveries.service.ts';
import { createDeliveries } from '../deliveries/create-deliveries.service.ts';
import type { RetryConfig } from '../deliveries/retry-schedule.rules.ts';
import { findReceivers } from '../subscriptions/subscriptions.store.ts';
import { noteDispatch } from './dispatch-reports.ts';

export type DispatchDeps = {
  db: Db;
  log: Logger;
  queues: Pick<Queues, 'scheduleDeliveries'>;
  config: RetryConfig;
};

/**
 * Makes deliveries durable; `readAtMs` (`performance.now()`) is when reading who is to receive them began. Returns by event why one could
 * not be made, and `begun`, which resolves when their first attempts have begun or were handed to the queue.
 */
export type Deliver = (
  wanted: readonly WantedDelivery[],
  readAtMs: number,
) => Promise<{ failures: ReadonlyMap<string, Error>; begun: Promise<void> }>;

/** What came of a dispatch: how many events, and by reservation why not all of its events are logged and delivered. */
export type Dispatched = { count: number; failures: ReadonlyMap<string, Error>; begun: Promise<void> };

/**
 * Takes the waiting events of reservations to a delivery row for each receiving subscription and to the event log, and only
 * then out of their outboxes. Every step may be repeated without effect, so what a process that is killed leaves is made
 * up by the next run (ADR 0009). `deliver` makes the deliveries: by jobs unless it is given.
 */
export async function dispatchEvents(
  deps: DispatchDeps,
  reservationIds: readonly string[],
  deliver: Deliver = byJobs(deps),
): Promise<Dispatched> {
  const beganAtMs = performance.now();
  const outboxes = await findOutboxes(deps.db, [...new Set(reservationIds)]);
  const events = outboxes.flatMap(toEventRows);
  if (events.length === 0) return { count: 0, failures: new Map(), begun: Promise.resolve() };
  const readAtMs = performance.now();
  const wanted = await wantedDeliveries(deps, events);
  const delivered = await deliver(wanted, readAtMs);
  // After that, so that its writes do not hold up the rows of the deliveries, for which receivers wait.
  const unlogged = await logEvents(deps, events);

  const failures = new Map(unlogged);
  for (const { _id, holdId } of events) {
    const err = delivered.failures.get(_id);
    if (err !== undefined) failures.set(holdId, err);
  }
  const done = events.filter(({ holdId }) => !failures.has(holdId));
  for (const [holdId, err] of await emptyOutboxes(deps, done)) failures.set(holdId, err);
  noteDispatch(deps, done, {
    beganAtMs,
    reservations: outboxes.length,
    deliveries: wanted.length,
    failures,
  });
  return { count: done.length, failures, begun: delivered.begun };
}

const byJobs =
  (deps: DispatchDeps): Deliver =>
  async (wanted) => ({ failures: await createDeliveries(deps, wanted), begun: Promise.resolve() });

/** Each event for each subscription to its type of an active partner that has a grant for its venue. */
async function wantedDeliveries(deps: DispatchDeps, events: readonly EventRow[]): Promise<WantedDelivery[]> {
  // Read after the outboxes: who subscribed before an event happened receives it.
  const receivers = await findReceivers(deps.db, [...new Set(events.map(({ venueId }) => venueId))]);
  return events.flatMap((event) =>
    (receivers.get(event.venueId) ?? [])
      .filter(({ eventTypes }) => eventTypes.includes(event.type))
      .map((receiver) => ({ event, receiver })),
  );
}

type Delivered = { reservationId: string; eventIds: readonly string[] };

/** How long what nobody waits for is kept to be written with more of its kind. */
const LINGER_MS = 20;
const MAX_EMPTIED = 500;

const emptySoon = memoizeByObject((db: Db) =>
  batched<Delivered, undefined>((each) => removeFromOutboxes(db, each), MAX_EMPTIED, LINGER_MS),
);

/** Takes dispatched events out of their outboxes; returns by reservation why they are still there. */
async function emptyOutboxes(
  { db }: { db: Db },
  events: readonly EventRow[],
): Promise<[reservationId: string, err: Error][]> {
  const ofReservation = [...groupBy(events, ({ holdId }) => holdId)];
  const outcomes = await Promise.all(
    ofReservation.map(([reservationId, logged]) =>
      emptySoon(db)({ reservationId, eventIds: logged.map(({ _id }) => _id) }).catch((err: Error) => err),
    ),
  );
  return ofReservation.flatMap(([holdId], index) => {
    const err = outcomes[index];
    return err === undefined ? [] : [[holdId, err] as [string, Error]];
  });
}
