import type { WantedDelivery } from '../deliveries/create-deliveries.service.ts';
import { createDeliveries } from '../deliveries/create-deliveries.service.ts';
import type { EventRow } from '../events/events.model.ts';
import { logWaitingEvents } from '../events/events.service.ts';
import { activeGrantees } from '../partners/can-receive.service.ts';
import type { DuePosition } from '../platform/backlog.store.ts';
import type { Clock } from '../platform/clock.ts';
import { onePer } from '../platform/coalesced.ts';
import { gathered } from '../platform/gathered.ts';
import { groupBy } from '../platform/group-by.ts';
import type { Logger } from '../platform/logger.ts';
import type { Db } from '../platform/mongo.ts';
import type { SweptPage } from '../platform/sweep.ts';
import { sweepEach } from '../platform/sweep.ts';
import type { Queues } from '../queues/queues.ts';
import type { PageOfDue } from '../reservations/reservation-backlog.store.ts';
import { findUndispatchedPage } from '../reservations/reservation-backlog.store.ts';
import { findOutboxes } from '../reservations/reservation-reads.store.ts';
import { removeFromOutboxes } from '../reservations/reservations.store.ts';
import { findActiveSubscriptions } from '../subscriptions/subscriptions.store.ts';

export type DispatchDeps = {
  db: Db;
  clock: Clock;
  queues: Pick<Queues, 'scheduleDeliveries'>;
  config: { webhookRetryDelaysSeconds: number[] };
};

/** How many reservations are dispatched together. */
const MAX_BATCH = 200;

const batchesOf = onePer((deps: DispatchDeps) =>
  gathered((reservationIds: readonly string[]) => dispatchBatch(deps, reservationIds), MAX_BATCH),
);

/**
 * Takes the waiting events of a reservation to the event log and to a delivery row for each receiving subscription, adds
 * the delivery jobs, and only then empties the outbox. Every step may be repeated without effect, so a crash at any point
 * is made up by the next run (ADR 0003). Reservations that are asked for meanwhile are dispatched together, and each fails by
 * itself (ADR 0033). Returns how many events were waiting.
 */
export async function dispatchEvents(deps: DispatchDeps, reservationId: string): Promise<number> {
  return batchesOf(deps)(reservationId);
}

/** Returns for each reservation, in their order, how many events were waiting, or why not all of them could be dispatched. */
async function dispatchBatch(
  deps: DispatchDeps,
  reservationIds: readonly string[],
): Promise<(number | Error)[]> {
  const outboxes = await findOutboxes(deps.db, [...new Set(reservationIds)]);
  const { logged, refused } = await logWaitingEvents(deps, outboxes);
  const failures = new Map(refused);
  const undelivered = await createDeliveries(deps, await wantedDeliveries(deps, logged));
  for (const { _id, holdId } of logged) note(failures, holdId, undelivered.get(_id));

  const delivered = logged.filter(({ holdId }) => !failures.has(holdId));
  const dispatched = groupBy(delivered, ({ holdId }) => holdId);
  const errors = await removeFromOutboxes(
    deps.db,
    [...dispatched].map(([id, events]) => ({ reservationId: id, eventIds: events.map(({ _id }) => _id) })),
  );
  for (const [index, id] of [...dispatched.keys()].entries()) note(failures, id, errors[index]);

  return reservationIds.map((id) => failures.get(id) ?? dispatched.get(id)?.length ?? 0);
}

function note(failures: Map<string, Error>, reservationId: string, err: Error | undefined): void {
  if (err !== undefined) failures.set(reservationId, err);
}

/** Each event for each subscription to its type of an active partner that has a grant for its venue. */
async function wantedDeliveries(deps: DispatchDeps, events: readonly EventRow[]): Promise<WantedDelivery[]> {
  if (events.length === 0) return [];
  const subscriptions = await findActiveSubscriptions(deps.db, unique(events.map(({ type }) => type)));
  if (subscriptions.length === 0) return [];
  const grantees = await activeGrantees(
    deps,
    unique(events.map(({ venueId }) => venueId)),
    unique(subscriptions.map(({ partnerId }) => partnerId)),
  );
  const ofPartner = groupBy(subscriptions, ({ partnerId }) => partnerId);
  return events.flatMap((event) =>
    (grantees.get(event.venueId) ?? [])
      .flatMap(({ partnerId }) => ofPartner.get(partnerId) ?? [])
      .filter(({ eventTypes }) => eventTypes.includes(event.type))
      .map((receiver) => ({ event, receiver })),
  );
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** Dispatches a page of the reservations whose events have waited longer than `graceMs`: a page of the sweep. */
export async function dispatchWaiting(
  deps: DispatchDeps & { log: Logger },
  { stopping, ...page }: PageOfDue & { stopping: AbortSignal },
): Promise<SweptPage<DuePosition>> {
  const { ids, next } = await findUndispatchedPage(deps.db, page);
  const onError = (err: unknown) => deps.log.error({ err }, 'an event could not be dispatched and waits');
  const dispatch = (reservationId: string) => dispatchEvents(deps, reservationId);
  return { count: await sweepEach(ids, stopping, dispatch, onError, MAX_BATCH), next };
}
