import { createDeliveries } from '../deliveries/create-deliveries.service.ts';
import { logWaitingEvents } from '../events/events.service.ts';
import { activeGrantees } from '../partners/can-receive.service.ts';
import type { DuePosition } from '../platform/backlog.store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Db } from '../platform/mongo.ts';
import type { SweptPage } from '../platform/sweep.ts';
import { sweepEach } from '../platform/sweep.ts';
import type { Queues } from '../queues/queues.ts';
import type { PageOfDue } from '../reservations/reservation-backlog.store.ts';
import { findUndispatchedPage } from '../reservations/reservation-backlog.store.ts';
import { findReservation } from '../reservations/reservation-reads.store.ts';
import { removeFromOutbox } from '../reservations/reservations.store.ts';
import { findActiveSubscriptions } from '../subscriptions/subscriptions.store.ts';

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
  const events = await logWaitingEvents(deps, reservation);
  const grantees = new Map<string, Set<string>>();
  for (const venueId of new Set(events.map((event) => event.venueId))) {
    grantees.set(venueId, await activeGrantees(deps, venueId));
  }
  for (const event of events) {
    const receivers = (await findActiveSubscriptions(deps.db, event.type)).filter(({ partnerId }) =>
      grantees.get(event.venueId)?.has(partnerId),
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
