import { audienceOf, DomainError } from '../../domain/errors.ts';
import { requiredVenueId } from '../../events/events.rules.ts';
import { requireCanReceive } from '../../partners/can-receive.service.ts';
import type { Db } from '../../platform/mongo.ts';
import type { Queues } from '../../queues/queues.ts';
import type { EndpointConfig } from '../sender/endpoint-url.ts';
import { requireDeliverable } from '../subscriptions/subscriptions.service.ts';
import type { CreateDeliveriesDeps } from './create-deliveries.service.ts';
import { dueIn, schedulePending } from './create-deliveries.service.ts';
import type { DeliveryState } from './deliveries.model.ts';
import { isBeingSent } from './deliveries.store.ts';
import { makeDue, restartDeliveries } from './delivery-series.store.ts';
import type { DeliveryDetail } from './read-deliveries.service.ts';
import { getDelivery } from './read-deliveries.service.ts';
import type { RetryConfig } from './retry-schedule.rules.ts';
import { isWaiting } from './retry-schedule.rules.ts';

export type RedeliveryDeps = CreateDeliveriesDeps & {
  queues: Pick<Queues, 'removeDeadLetters'>;
  config: EndpointConfig;
};

/** Every state but that of a delivery which waits for the first attempt of its series: there the fresh series has begun. */
export const REDELIVERABLE: readonly DeliveryState[] = [
  'retrying',
  'succeeded',
  'dead_letter',
  'cancelled',
  'discarded',
];

/**
 * Begins a fresh series of attempts now for a delivery, with the event_id that it has and the secret then current: also for one
 * that waits for a retry. The update of the row decides between calls that race, and between this and a worker that begins an
 * attempt: one series is begun, and the job of the earlier one finds nothing to do. A delivery that waits for its first attempt
 * is returned as it is.
 * @throws DomainError DELIVERY_NOT_FOUND; DELIVERY_IN_PROGRESS while an attempt is under way; WEBHOOK_INACTIVE;
 * VENUE_NOT_AUTHORIZED where the partner cannot receive events of the venue any more.
 */
export async function redeliver(
  deps: RedeliveryDeps,
  partnerId: string,
  anyId: string,
): Promise<DeliveryDetail> {
  const deliveryId = await requireRestartable(deps, partnerId, anyId);
  const begun = await restart(deps, partnerId, deliveryId, REDELIVERABLE);
  const isFresh =
    begun.hasRestarted ||
    (begun.detail.delivery.state === 'pending' && !(await isBeingSent(deps.db, deliveryId)));
  if (isFresh) return begun.detail;
  throw new DomainError(
    'DELIVERY_IN_PROGRESS',
    'An attempt of the delivery is in progress. Repeat the call after it has ended, within about 20 s.',
  );
}

/** The id of a delivery that may be made again. @throws DomainError as `redeliver`, DELIVERY_IN_PROGRESS aside */
export async function requireRestartable(
  deps: RedeliveryDeps,
  partnerId: string | undefined,
  anyId: string,
): Promise<string> {
  const { delivery, event } = await getDelivery(deps, partnerId, anyId);
  await requireDeliverable(deps, partnerId, delivery.subscriptionId);
  const receiver = { partnerId: delivery.partnerId, venueId: requiredVenueId(event) };
  await requireCanReceive(deps, receiver, audienceOf(partnerId));
  return delivery._id;
}

/** Begins a fresh series where the delivery is in one of `states` and nobody is at work on it; `detail` is what it is then. */
export async function restart(
  deps: RedeliveryDeps,
  partnerId: string | undefined,
  deliveryId: string,
  states: readonly DeliveryState[],
): Promise<{ hasRestarted: boolean; detail: DeliveryDetail }> {
  const hasRestarted = (await restartDeliveries(deps.db, [deliveryId], states)) === 1;
  if (hasRestarted) {
    await schedulePending(deps, { deliveryIds: [deliveryId] });
    await deps.queues.removeDeadLetters([deliveryId]);
  }
  return { hasRestarted, detail: await getDelivery(deps, partnerId, deliveryId) };
}

/**
 * Makes a waiting delivery's next attempt now (contract: sandbox/advance-delivery).
 * @throws DomainError DELIVERY_NOT_FOUND; DELIVERY_IN_PROGRESS where no attempt is waiting.
 */
export async function advanceDelivery(
  deps: { db: Db; queues: Pick<Queues, 'promoteDelivery' | 'ensureDelivery'>; config: RetryConfig },
  partnerId: string,
  deliveryId: string,
): Promise<DeliveryDetail> {
  const { delivery } = await getDelivery(deps, partnerId, deliveryId);
  const due = isWaiting(delivery.state) ? await makeDue(deps.db, delivery._id) : null;
  if (due === null) {
    throw new DomainError(
      'DELIVERY_IN_PROGRESS',
      `The delivery is ${delivery.state}. Only a delivery that waits for an attempt can be advanced.`,
    );
  }
  const job = dueIn(0, due, deps.config);
  if (!(await deps.queues.promoteDelivery(job))) await deps.queues.ensureDelivery(job);
  return getDelivery(deps, partnerId, delivery._id);
}
