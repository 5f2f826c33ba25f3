import type { EventRow } from '../../events/events.model.ts';
import { requestIdOf, traceparentOfEvent } from '../../events/events.rules.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import { BATCH_SIZES, counter, histogram } from '../../platform/process-metrics.ts';
import { isTracing, recordSpan } from '../../platform/tracing.ts';

const eventsDispatched = counter({
  name: 'events_dispatched_total',
  help: 'Events that this process took to the log and to their receivers; a few of them twice.',
});
const dispatchBatches = histogram({
  name: 'event_dispatch_batch_size',
  help: 'Of how many reservations events were dispatched together.',
  buckets: BATCH_SIZES,
});

/** Counts, logs and traces events that were dispatched together. */
export function noteDispatch(
  { db, log }: { db: Db; log: Logger },
  events: readonly EventRow[],
  batch: {
    beganAtMs: number;
    reservations: number;
    deliveries: number;
    failures: ReadonlyMap<string, Error>;
  },
): void {
  dispatchBatches(db).observe(batch.reservations);
  eventsDispatched(db).inc(events.length);
  for (const event of events) traceDispatch(event, batch.beganAtMs, events.length);
  log.info(
    {
      reservations: batch.reservations,
      events: events.length,
      deliveries: batch.deliveries,
      failed: batch.failures.size,
      // By which one finds the batch from one of them: at most as many as are dispatched together.
      event_ids: events.map(({ _id }) => _id),
      hold_ids: [...new Set(events.map(({ holdId }) => holdId))],
      booking_ids: [...new Set(events.flatMap(({ bookingId }) => bookingId ?? []))],
      request_ids: [...new Set(events.map(requestIdOf).filter((id) => id !== null))],
      duration_ms: Math.round(performance.now() - batch.beganAtMs),
    },
    'events dispatched',
  );
}

/** A span in the trace of the call that made the event. */
function traceDispatch(event: EventRow, beganAtMs: number, batchSize: number): void {
  const traceparent = traceparentOfEvent(event);
  if (traceparent === undefined || !isTracing()) return;
  recordSpan(`dispatch ${event.type}`, traceparent, beganAtMs, {
    event_id: event._id,
    hold_id: event.holdId,
    'messaging.batch.message_count': batchSize,
  });
}
