import { audienceOf, DomainError } from '../../domain/errors.ts';
import { requiredVenueId } from '../../events/events.rules.ts';
import { requireCanReceive } from '../../partners/can-receive.service.ts';
import type { Db } from '../../platform/mongo.ts';
import type { Queues } from '../../queues/queues.ts';
import type { EndpointConfig } from '../sender/endpoint-url.ts';
import { requireDeliverable } from '../subscriptions/require-subscription.service.ts';
import { type CreateDeliveriesDeps, dueIn, schedulePending } from './create-deliveries.service.ts';
import type { DeliveryState } from './deliveries.model.ts';
import { isBeingSent } from './deliveries.store.ts';
import { beginSeries, makeDue, REDELIVERABLE } from './delivery-states.store.ts';
import { type DeliveryDetail, getDelivery } from './read-deliveries.service.ts';
import { isWaiting, type RetryConfig } from './retry-schedule.rules.ts';

export type RedeliveryDeps = CreateDeliveriesDeps & {
  queues: Pick<Queues, 'removeDeadLetters'>;
  config: EndpointConfig;
};

/**
 * Begins a fresh series of attempts now, with the same event_id and the current secret, also for a delivery that waits
 * for a retry. The update of the row decides races between calls, and with a worker that begins an attempt: one series
 * begins, and the job of the earlier series finds nothing to do. A pending delivery is returned unchanged.
 * @throws DomainError DELIVERY_NOT_FOUND; DELIVERY_IN_PROGRESS during an attempt; WEBHOOK_INACTIVE;
 *   VENUE_NOT_AUTHORIZED if the partner may no longer receive events of the venue
 */
export async function redeliver(deps: RedeliveryDeps, partnerId: string, anyId: string): Promise<DeliveryDetail> {
  const { hasBegun, detail } = await redeliverOne(deps, partnerId, anyId, REDELIVERABLE);
  const { _id, state } = detail.delivery;
  if (hasBegun || (state === 'pending' && !(await isBeingSent(deps.db, _id)))) return detail;
  throw new DomainError(
    'DELIVERY_IN_PROGRESS',
    'An attempt of the delivery is in progress. Repeat the call after it has ended, within about 20 s.',
  );
}

/**
 * Begins a fresh series for one delivery, if it may be sent again and is in one of `states` without an attempt in
 * progress; returns the delivery afterwards.
 * @throws DomainError as `redeliver`, except DELIVERY_IN_PROGRESS
 */
export async function redeliverOne(
  deps: RedeliveryDeps,
  partnerId: string | undefined,
  anyId: string,
  states: readonly DeliveryState[],
): Promise<{ hasBegun: boolean; detail: DeliveryDetail }> {
  const { delivery, event } = await getDelivery(deps, partnerId, anyId);
  await requireDeliverable(deps, partnerId, delivery.subscriptionId);
  const receiver = { partnerId: delivery.partnerId, venueId: requiredVenueId(event) };
  await requireCanReceive(deps, receiver, audienceOf(partnerId));
  const hasBegun = (await redeliverAll(deps, [delivery._id], states)) === 1;
  return { hasBegun, detail: await getDelivery(deps, partnerId, delivery._id) };
}

/** Begins a fresh series for the deliveries in one of `states` that have no attempt in progress; returns how many. */
export async function redeliverAll(
  deps: RedeliveryDeps,
  deliveryIds: readonly string[],
  states: readonly DeliveryState[],
): Promise<number> {
  const count = await beginSeries(deps.db, deliveryIds, states);
  if (count === 0) return 0;
  await schedulePending(deps, { deliveryIds });
  await deps.queues.removeDeadLetters(deliveryIds);
  return count;
}

/**
 * Makes a waiting delivery's next attempt now (contract: sandbox/advance-delivery).
 * @throws DomainError DELIVERY_NOT_FOUND; DELIVERY_IN_PROGRESS if no attempt waits
 */
export async function advanceDelivery(
  deps: { db: Db; queues: Pick<Queues, 'promoteDelivery' | 'ensureDelivery'>; config: RetryConfig },
  partnerId: string,
  deliveryId: string,
): Promise<DeliveryDetail> {
  const detail = await getDelivery(deps, partnerId, deliveryId);
  const { delivery } = detail;
  const due = isWaiting(delivery.state) ? await makeDue(deps.db, delivery._id) : null;
  if (due === null) {
    throw new DomainError(
      'DELIVERY_IN_PROGRESS',
      `The delivery is ${delivery.state}. Only a delivery that waits for an attempt can be advanced.`,
    );
  }
  const series = { deliveryId: due._id, generation: due.generation };
  const toDue = async () => dueIn(0, due, detail, deps.config);
  if (!(await deps.queues.promoteDelivery(series))) await deps.queues.ensureDelivery(series, toDue);
  return getDelivery(deps, partnerId, delivery._id);
}
