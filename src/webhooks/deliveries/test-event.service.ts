import { fieldError } from '../../domain/errors.ts';
import { logTestEvent } from '../../events/events.service.ts';
import type { EventType } from '../../reservations/event-types.ts';
import type { EndpointConfig } from '../sender/endpoint-url.ts';
import { requireDeliverable } from '../subscriptions/subscriptions.service.ts';
import type { CreateDeliveriesDeps } from './create-deliveries.service.ts';
import { createDeliveries } from './create-deliveries.service.ts';
import type { DeliveryDetail } from './read-deliveries.service.ts';
import { getDeliveryOfEvent } from './read-deliveries.service.ts';

export type TestEventDeps = CreateDeliveriesDeps & {
  config: EndpointConfig;
};

/**
 * Sends the subscription one sample event with `details.test: true`: signed, retried and dead-lettered like any other, and in
 * nobody's feed. `type` is the first that it subscribes to where none is asked for.
 * @throws DomainError WEBHOOK_NOT_FOUND; WEBHOOK_INACTIVE; VALIDATION_ERROR for a type that it does not subscribe to.
 */
export async function sendTestEvent(
  deps: TestEventDeps,
  partnerId: string,
  subscriptionId: string,
  type: EventType | undefined,
): Promise<DeliveryDetail> {
  const subscription = await requireDeliverable(deps, partnerId, subscriptionId);
  const [first] = subscription.eventTypes;
  const asked = type ?? first;
  if (asked === undefined || !subscription.eventTypes.includes(asked)) {
    const types = subscription.eventTypes.join(', ');
    throw fieldError('event_type', `is none that the subscription has. It subscribes to ${types}.`);
  }
  const event = await logTestEvent(deps, partnerId, asked);
  const [failure] = (await createDeliveries(deps, [{ event, receiver: subscription }])).values();
  if (failure !== undefined) throw failure;
  return getDeliveryOfEvent(deps, event._id, subscriptionId);
}
