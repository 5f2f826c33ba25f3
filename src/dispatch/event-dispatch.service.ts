import type { WantedDelivery } from '../deliveries/create-deliveries.service.ts';
import { createDeliveries } from '../deliveries/create-deliveries.service.ts';
import type { EventRow } from '../events/events.model.ts';
import { requestIdOf, traceparentOfEvent } from '../events/events.rules.ts';
import { logWaitingEvents } from '../events/events.service.ts';
import { sequenceTogether } from '../events/feed.service.ts';
import type { DuePosition } from '../platform/backlog.store.ts';
import { onePer } from '../platform/coalesced.ts';
import { gathered } from '../platform/gathered.ts';
import { groupBy } from '../platform/group-by.ts';
import { leasedCacheOf } from '../platform/leased-cache.ts';
import type { Logger } from '../platform/logger.ts';
import type { Db } from '../platform/mongo.ts';
import { BATCH_SIZES, counter, histogram } from '../platform/process-metrics.ts';
import type { SweptPage } from '../platform/sweep.ts';
import { sweepEach } from '../platform/sweep.ts';
import { isTracing, recordSpan } from '../platform/tracing.ts';
import type { Queues } from '../queues/queues.ts';
import type { PageOfDue } from '../reservations/reservation-backlog.store.ts';
import { findUndispatchedPage } from '../reservations/reservation-backlog.store.ts';
import { findOutboxes } from '../reservations/reservation-reads.store.ts';
import { removeFromOutboxes } from '../reservations/reservations.store.ts';
import { subscriptionsAt } from '../subscriptions/cached-subscriptions.service.ts';

export type DispatchDeps = {
  db: Db;
  log: Logger;
  queues: Pick<Queues, 'scheduleDeliveries'>;
  config: { webhookRetryDelaysSeconds: number[] };
};

/** How many reservations are dispatched together. */
const MAX_BATCH = 200;

const batchesOf = onePer((deps: DispatchDeps) =>
  gathered((reservationIds: readonly string[]) => deliverBatch(deps, reservationIds), MAX_BATCH),
);

type Delivered = { reservationId: string; eventIds: readonly string[] };

/** The next batch need not wait for it: what it finds in an outbox that is being emptied it finds delivered, too. */
const emptyOutbox = onePer((db: Db) =>
  gathered<Delivered, undefined>((delivered) => removeFromOutboxes(db, delivered), MAX_BATCH),
);

/**
 * Takes the waiting events of a reservation to the event log and to a delivery row for each receiving subscription, adds
 * the delivery jobs, and only then empties the outbox. Every step may be repeated without effect, so a crash at any point
 * is made up by the next run (ADR 0003). Reservations that are asked for meanwhile are dispatched together, and each fails by
 * itself (ADR 0033). Returns how many events were waiting.
 */
export async function dispatchEvents(deps: DispatchDeps, reservationId: string): Promise<number> {
  const eventIds = await batchesOf(deps)(reservationId);
  if (eventIds.length > 0) await emptyOutbox(deps.db)({ reservationId, eventIds });
  return eventIds.length;
}

const eventsDispatched = counter({
  name: 'events_dispatched_total',
  help: 'Events that this process took to the log and to their receivers; a few of them twice.',
});
const dispatchBatches = histogram({
  name: 'event_dispatch_batch_size',
  help: 'Of how many reservations events were dispatched together.',
  buckets: BATCH_SIZES,
});

/** Returns for each reservation, in their order, which events were waiting, or why not all of them could be delivered. */
async function deliverBatch(
  deps: DispatchDeps,
  reservationIds: readonly string[],
): Promise<(readonly string[] | Error)[]> {
  const beganAt = performance.now();
  const outboxes = await findOutboxes(deps.db, [...new Set(reservationIds)]);
  const { logged, refused, isNumbered } = await logWaitingEvents(deps, outboxes);
  // Nothing waits for it: where it fails, or others are in its way, the sweep comes back to it.
  if (!isNumbered) sequenceTogether(deps.db)().catch(() => undefined);
  const wanted = await wantedDeliveries(deps, logged);
  const undelivered = await createDeliveries(deps, wanted);
  const failures = new Map(refused);
  for (const { _id, holdId } of logged) {
    const err = undelivered.get(_id);
    if (err !== undefined) failures.set(holdId, err);
  }
  for (const event of logged) traceDispatch(event, beganAt, logged.length);
  dispatchBatches(deps.db).observe(reservationIds.length);
  eventsDispatched(deps.db).inc(logged.length);
  if (logged.length > 0) {
    deps.log.info(
      {
        reservations: reservationIds.length,
        events: logged.length,
        deliveries: wanted.length,
        failed: failures.size,
        // By which one finds the batch from one of them: at most as many as are dispatched together.
        event_ids: logged.map(({ _id }) => _id),
        hold_ids: [...new Set(logged.map(({ holdId }) => holdId))],
        booking_ids: [...new Set(logged.flatMap(({ bookingId }) => bookingId ?? []))],
        request_ids: [...new Set(logged.map(requestIdOf).filter((id) => id !== null))],
        duration_ms: Math.round(performance.now() - beganAt),
      },
      'events dispatched',
    );
  }
  const delivered = groupBy(logged, ({ holdId }) => holdId);
  return reservationIds.map((id) => failures.get(id) ?? (delivered.get(id) ?? []).map(({ _id }) => _id));
}

/** A span in the trace of the call that made the event. */
function traceDispatch(event: EventRow, beganAt: number, batchSize: number): void {
  const traceparent = traceparentOfEvent(event);
  if (traceparent === undefined || !isTracing()) return;
  recordSpan(`dispatch ${event.type}`, traceparent, beganAt, {
    event_id: event._id,
    hold_id: event.holdId,
    'messaging.batch.message_count': batchSize,
  });
}

/**
 * Each event for each subscription to its type of an active partner that has a grant for its venue, as these are once the events are
 * in the log: what was subscribed before an event happened receives it, and what is there later finds it in the log (`recover`).
 */
async function wantedDeliveries(deps: DispatchDeps, events: readonly EventRow[]): Promise<WantedDelivery[]> {
  if (events.length === 0) return [];
  await leasedCacheOf(deps.db).freshen();
  const venueIds = [...new Set(events.map(({ venueId }) => venueId))];
  const subscriptions = await Promise.all(venueIds.map((venueId) => subscriptionsAt(deps.db, venueId)));
  const ofVenue = new Map(venueIds.map((venueId, index) => [venueId, subscriptions[index] ?? []]));
  return events.flatMap((event) =>
    (ofVenue.get(event.venueId) ?? [])
      .filter(({ eventTypes }) => eventTypes.includes(event.type))
      .map((receiver) => ({ event, receiver })),
  );
}

/** Dispatches a page of the reservations whose events have waited longer than `graceMs`: a page of the sweep. */
export async function dispatchWaiting(
  deps: DispatchDeps,
  { stopping, ...page }: PageOfDue & { stopping: AbortSignal },
): Promise<SweptPage<DuePosition>> {
  const { ids, next } = await findUndispatchedPage(deps.db, page);
  const onError = (err: unknown, holdId: string) =>
    deps.log.error({ hold_id: holdId, err }, 'an event could not be dispatched and waits');
  const dispatch = (reservationId: string) => dispatchEvents(deps, reservationId);
  return { count: await sweepEach(ids, stopping, dispatch, onError, MAX_BATCH), next };
}
