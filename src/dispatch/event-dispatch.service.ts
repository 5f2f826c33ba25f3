import { createDeliveries } from '../deliveries/deliveries.service.ts';
import type { EventRow } from '../events/events.model.ts';
import { appendEvents } from '../events/events.store.ts';
import { activeGrantees } from '../partners/partners.service.ts';
import type { DuePosition } from '../platform/backlog.store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Db } from '../platform/mongo.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import type { SweptPage } from '../platform/sweep.ts';
import { sweepEach } from '../platform/sweep.ts';
import type { Queues } from '../queues/queues.ts';
import type { PageOfDue } from '../reservations/reservation-reads.store.ts';
import { findReservation, findUndispatchedPage } from '../reservations/reservation-reads.store.ts';
import type { OutboxEvent, Reservation } from '../reservations/reservations.model.ts';
import { removeFromOutbox } from '../reservations/reservations.store.ts';
import { findReceivers } from '../subscriptions/subscriptions.service.ts';

export type DispatchDeps = {
  db: Db;
  clock: Clock;
  queues: Pick<Queues, 'scheduleDeliveries'>;
  config: { webhookRetryDelaysSeconds: number[] };
};

/**
 * Takes the waiting events of a reservation to the event log and to a delivery row for each receiving subscription, adds
 * the delivery jobs, and only then empties the outbox. Every step may be repeated without effect, so a crash at any point
 * is made up by the next run (ADR 0003). Returns how many events were waiting.
 */
export async function dispatchEvents(deps: DispatchDeps, reservationId: string): Promise<number> {
  const reservation = await findReservation(deps.db, reservationId);
  if (reservation === null || reservation.outbox.length === 0) return 0;
  const events = reservation.outbox.map((waiting) => toEventRow(reservation, waiting));
  await appendEvents(deps.db, events);
  const grantees = await activeGrantees(deps, reservation.venueId);
  for (const event of events) {
    const receivers = (await findReceivers(deps, event.type)).filter(({ partnerId }) =>
      grantees.has(partnerId),
    );
    await createDeliveries(deps, event, receivers);
  }
  await removeFromOutbox(
    deps.db,
    reservationId,
    events.map((event) => event._id),
  );
  return events.length;
}

/** Dispatches a page of the reservations whose events have waited longer than `graceMs`: a page of the sweep. */
export async function dispatchWaiting(
  deps: DispatchDeps & { log: Logger },
  { stopping, ...page }: PageOfDue & { stopping: AbortSignal },
): Promise<SweptPage<DuePosition>> {
  const { ids, next } = await findUndispatchedPage(deps.db, page);
  const onError = (err: unknown) => deps.log.error({ err }, 'an event could not be dispatched and waits');
  const dispatch = (reservationId: string) => dispatchEvents(deps, reservationId);
  return { count: await sweepEach(ids, stopping, dispatch, onError), next };
}

/** The event as the log will have it. */
export function toEventRow(reservation: Reservation, waiting: OutboxEvent): EventRow {
  return {
    _id: waiting.eventId,
    type: waiting.type,
    at: waiting.at,
    venueId: reservation.venueId,
    resourceId: reservation.resourceId,
    slotId: reservation.slotId,
    slotStart: reservation.slotStart,
    slotEnd: reservation.slotEnd,
    holdId: reservation._id,
    bookingId: waiting.bookingId,
    originatorId: waiting.originatorId,
    ...omitUndefined({ actor: waiting.actor }),
    holdExpiresAt: waiting.holdExpiresAt ?? null,
    pricePaise: reservation.pricePaise,
    reason: waiting.reason ?? null,
    isUnsequenced: true,
  };
}
