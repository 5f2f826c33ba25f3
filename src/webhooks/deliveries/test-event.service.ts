import { fieldError } from '../../domain/errors.ts';
import { logTestEvent } from '../../events/log-events.service.ts';
import type { EventType } from '../../reservations/event-types.ts';
import type { EndpointConfig } from '../sender/endpoint-url.ts';
import { requireDeliverable } from '../subscriptions/require-subscription.service.ts';
import { type CreateDeliveriesDeps, createDeliveries } from './create-deliveries.service.ts';
import { findDeliveriesOfEvents } from './deliveries.store.ts';
import { type DeliveryDetail, getDelivery } from './read-deliveries.service.ts';

/**
 * Sends one sample event with `details.test: true` to the subscription: signed, retried and dead-lettered like any
 * other event, but in no feed. Default of `type`: the subscription's first type.
 * @throws DomainError WEBHOOK_NOT_FOUND; WEBHOOK_INACTIVE; VALIDATION_ERROR for a type that the subscription lacks
 */
export async function sendTestEvent(
  deps: CreateDeliveriesDeps & { config: EndpointConfig },
  partnerId: string,
  subscriptionId: string,
  type: EventType | undefined,
): Promise<DeliveryDetail> {
  const subscription = await requireDeliverable(deps, partnerId, subscriptionId);
  const { eventTypes } = subscription;
  const eventType = type ?? eventTypes[0];
  if (eventType === undefined || !eventTypes.includes(eventType)) {
    throw fieldError('event_type', `is not a type of the subscription. It subscribes to ${eventTypes.join(', ')}.`);
  }
  const event = await logTestEvent(deps, partnerId, eventType);
  const [failure] = (await createDeliveries(deps, [{ event, receiver: subscription }])).values();
  if (failure !== undefined) throw failure;
  const [delivery] = await findDeliveriesOfEvents(deps.db, subscriptionId, [event._id]);
  if (delivery === undefined) throw new Error(`Event ${event._id} has no delivery`);
  return getDelivery(deps, partnerId, delivery._id);
}
