import { removeDispatchedChanges } from '../../catalog/changes/changes.service.ts';
import { findChanges, findDueChanges } from '../../catalog/changes/changes.store.ts';
import type { EventRow } from '../../events/events.model.ts';
import { outboxIdOf, requestIdOf, toChangeEvent, toEventRows, traceparentOfEvent } from '../../events/events.rules.ts';
import { logEvents } from '../../events/log-events.service.ts';
import type { DuePosition } from '../../platform/backlog.store.ts';
import { batchedByDb } from '../../platform/batched.ts';
import { groupBy } from '../../platform/group-by.ts';
import { BATCH_SIZES, counter, histogram } from '../../platform/process-metrics.ts';
import { type SweptPage, sweepBatches } from '../../platform/sweep.ts';
import { isTracing, recordSpan } from '../../platform/tracing.ts';
import type { PageOfDue } from '../../reservations/hold-reads.store.ts';
import { findOutboxes, findUndispatchedPage, removeFromOutboxes } from '../../reservations/outbox.store.ts';
import { findReceivers } from '../subscriptions/subscriptions.store.ts';
import { type CreateDeliveriesDeps, createDeliveries, type WantedDelivery } from './create-deliveries.service.ts';

/**
 * Creates deliveries durably. `readAtMs` (`performance.now()`): when reading the receivers began. Returns the errors by
 * outbox id, and `begun`, which resolves when each first attempt has begun or is queued as a job.
 */
export type Deliver = (
  wanted: readonly WantedDelivery[],
  readAtMs: number,
) => Promise<{ failures: ReadonlyMap<string, Error>; begun: Promise<void> }>;

/** The numbers of dispatched events and their deliveries. */
export type DispatchCount = { events: number; deliveries: number };

/** The results by outbox id: numbers (`counts`) and errors (`failures`). `begun`: see `Deliver`. */
export type DispatchResult = {
  counts: ReadonlyMap<string, DispatchCount>;
  failures: ReadonlyMap<string, Error>;
  begun: Promise<void>;
};

/**
 * Dispatches the events in these outboxes of reservations and venues. Writes a delivery row for each receiving
 * subscription, then the events for the feed, and empties the outboxes last. Every step can be repeated, so the next
 * run completes the work of a killed process (ADR 0009). `deliver` creates the deliveries; by default jobs send them.
 */
export async function dispatchEvents(
  deps: CreateDeliveriesDeps,
  outboxIds: readonly string[],
  deliver: Deliver = async (wanted) => ({ failures: await createDeliveries(deps, wanted), begun: Promise.resolve() }),
): Promise<DispatchResult> {
  const beganAtMs = performance.now();
  const events = await findWaitingEvents(deps, [...new Set(outboxIds)]);
  if (events.length === 0) return { counts: new Map(), failures: new Map(), begun: Promise.resolve() };
  const readAtMs = performance.now();
  const wanted = await wantedDeliveries(deps, events);
  const delivered = await deliver(wanted, readAtMs);
  // Store the events after the deliveries: receivers wait for delivery rows, not for the feed.
  const { failures: unlogged, closed } = await logEvents(deps, events);

  const failures = new Map([...unlogged, ...delivered.failures]);
  const dispatched = events.filter((event) => !failures.has(outboxIdOf(event)));
  for (const [outboxId, err] of await emptyOutboxes(deps, dispatched)) failures.set(outboxId, err);
  // A stopping process must leave no range of sequence numbers open (ADR 0010).
  await closed;
  noteDispatch(deps, dispatched, {
    beganAtMs,
    reservations: new Set(events.map(outboxIdOf)).size,
    deliveries: wanted.length,
    failed: failures.size,
  });
  return { counts: countsOf(dispatched, wanted), failures, begun: delivered.begun };
}

function countsOf(events: readonly EventRow[], wanted: readonly WantedDelivery[]): Map<string, DispatchCount> {
  const deliveriesOf = groupBy(wanted, ({ event }) => outboxIdOf(event));
  return new Map(
    [...groupBy(events, outboxIdOf)].map(([outboxId, itsEvents]) => [
      outboxId,
      { events: itsEvents.length, deliveries: deliveriesOf.get(outboxId)?.length ?? 0 },
    ]),
  );
}

/** The events of these outboxes. Only ids without a reservation are looked up as venue changes, which are rare. */
async function findWaitingEvents({ db }: CreateDeliveriesDeps, outboxIds: readonly string[]): Promise<EventRow[]> {
  const outboxes = await findOutboxes(db, outboxIds);
  const found = new Set(outboxes.map(({ _id }) => _id));
  const others = outboxIds.filter((id) => !found.has(id));
  return [...outboxes.flatMap(toEventRows), ...(await findChanges(db, others)).map(toChangeEvent)];
}

/**
 * Each event with each receiver. Call it after reading the outboxes: it finds each subscription older than the event.
 */
async function wantedDeliveries(deps: CreateDeliveriesDeps, events: readonly EventRow[]): Promise<WantedDelivery[]> {
  const receiversOf = await findReceivers(deps.db, events);
  return events.flatMap((event) =>
    receiversOf(event)
      .filter(({ eventTypes }) => eventTypes.includes(event.type))
      .map((receiver) => ({ event, receiver })),
  );
}

/** How long outboxes wait to be emptied in one batch: no receiver waits for that. */
const LINGER_MS = 20;
const MAX_EMPTIED = 500;

const emptySoon = batchedByDb(removeFromOutboxes, MAX_EMPTIED, LINGER_MS);

/** Removes dispatched events from their outboxes; returns the error of each outbox that still has them. */
async function emptyOutboxes(
  { db }: CreateDeliveriesDeps,
  events: readonly EventRow[],
): Promise<ReadonlyMap<string, Error>> {
  const failures = new Map<string, Error>();
  const changeIds = events.flatMap(({ _id, holdId }) => (holdId === null ? _id : []));
  const ofVenues = removeDispatchedChanges({ db }, changeIds).catch((err: Error) => {
    for (const id of changeIds) failures.set(id, err);
  });
  const byReservation = groupBy(
    events.filter(({ holdId }) => holdId !== null),
    outboxIdOf,
  );
  const ofReservations = [...byReservation].map(async ([reservationId, itsEvents]) => {
    const eventIds = itsEvents.map(({ _id }) => _id);
    await emptySoon(db, { reservationId, eventIds }).catch((err: Error) => failures.set(reservationId, err));
  });
  await Promise.all([ofVenues, ...ofReservations]);
  return failures;
}

/**
 * Dispatches a page of the sweep, except outboxes that jobs of this process are dispatching (`inProgressIds`). The
 * first page includes venue changes.
 */
export async function dispatchWaiting(
  deps: CreateDeliveriesDeps,
  { stopping, inProgressIds, ...page }: PageOfDue & { stopping: AbortSignal; inProgressIds?: ReadonlySet<string> },
  deliver?: Deliver,
): Promise<SweptPage<DuePosition>> {
  const { ids: reservations, next } = await findUndispatchedPage(deps.db, page);
  const changes = page.after === undefined ? (await findDueChanges(deps.db, page.graceMs, page.limit)).ids : [];
  const ids = [...changes, ...reservations].filter((id) => inProgressIds?.has(id) !== true);
  const dispatch = async (batch: readonly string[]) => {
    const { counts, failures, begun } = await dispatchEvents(deps, batch, deliver);
    for (const [outboxId, err] of failures)
      deps.log.error({ outbox_id: outboxId, err }, 'an event could not be dispatched; the sweep retries it');
    await begun;
    return [...counts.values()].reduce((sum, { events }) => sum + events, 0);
  };
  const onError = (err: unknown, batch: readonly string[]) =>
    deps.log.error({ outbox_ids: batch, err }, 'events could not be dispatched; the sweep retries them');
  return { count: await sweepBatches(ids, stopping, dispatch, onError), next };
}

const eventsDispatched = counter({
  name: 'events_dispatched_total',
  help: 'Events that this process dispatched; a repeated dispatch counts again.',
});
const dispatchBatches = histogram({
  name: 'event_dispatch_batch_size',
  help: 'Outboxes in one dispatch batch.',
  buckets: BATCH_SIZES,
});

/** Counts, logs and traces the events of a batch. */
function noteDispatch(
  { db, log }: CreateDeliveriesDeps,
  events: readonly EventRow[],
  batch: { beganAtMs: number; reservations: number; deliveries: number; failed: number },
): void {
  dispatchBatches(db).observe(batch.reservations);
  eventsDispatched(db).inc(events.length);
  if (isTracing()) traceDispatch(events, batch.beganAtMs);
  log.info(
    {
      reservations: batch.reservations,
      events: events.length,
      deliveries: batch.deliveries,
      failed: batch.failed,
      // A search for any of these ids finds the batch.
      event_ids: events.map(({ _id }) => _id),
      hold_ids: [...new Set(events.flatMap(({ holdId }) => holdId ?? []))],
      booking_ids: [...new Set(events.flatMap(({ bookingId }) => bookingId ?? []))],
      request_ids: [...new Set(events.map(requestIdOf).filter((id) => id !== null))],
      duration_ms: Math.round(performance.now() - batch.beganAtMs),
    },
    'events dispatched',
  );
}

/** For each event, a span in the trace of the call that made it. */
function traceDispatch(events: readonly EventRow[], beganAtMs: number): void {
  for (const event of events) {
    const traceparent = traceparentOfEvent(event);
    if (traceparent === undefined) continue;
    recordSpan(`dispatch ${event.type}`, traceparent, beganAtMs, {
      event_id: event._id,
      ...(event.holdId === null ? {} : { hold_id: event.holdId }),
      'messaging.batch.message_count': events.length,
    });
  }
}
