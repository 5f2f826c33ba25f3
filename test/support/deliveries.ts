import { dispatchEvents } from '../../src/events/event-dispatch.service.ts';
import type { AttemptResult } from '../../src/webhooks/deliver-webhook.service.ts';
import { deliverWebhook } from '../../src/webhooks/deliver-webhook.service.ts';
import { makeDue } from '../../src/webhooks/deliveries.store.ts';
import { createEndpointGate } from '../../src/webhooks/endpoint-gate.rules.ts';
import type { WebhookSender } from '../../src/webhooks/send-webhook.ts';
import type { Partner } from './factories.ts';
import { placeHold } from './factories.ts';
import { rowOf, rowsOf } from './rows.ts';
import type { Service } from './service.ts';

/** `by` holds the slot, and the event is dispatched; answers the delivery of it to `receiver`'s one subscription. */
export async function anyDelivery(
  service: Service,
  by: Partner,
  receiver: Partner,
  slotId: string,
): Promise<string> {
  const hold = await placeHold(by, slotId);
  await dispatchEvents(service.context, String(hold['hold_id']));
  const [event] = await rowsOf(service, 'events', { holdId: hold['hold_id'] });
  return (await rowOf(service, 'deliveries', { eventId: event?._id, partnerId: receiver.id }))._id;
}

/** Makes attempts of a delivery one after the other, each as soon as it waits; answers what came of the last. */
export async function attemptDelivery(
  service: Service,
  sender: WebhookSender,
  deliveryId: string,
  times = 1,
): Promise<AttemptResult | undefined> {
  let result: AttemptResult | undefined;
  for (let count = 0; count < times; count += 1) {
    await makeDue(service.context.db, deliveryId);
    const row = await rowOf(service, 'deliveries', { _id: deliveryId });
    const { subscriptionId, generation, attemptsMade: failuresKnown } = row;
    const deps = { ...service.context, sender, gate: createEndpointGate(10, 2) };
    const signal = new AbortController().signal;
    result = await deliverWebhook(deps, { deliveryId, subscriptionId, generation, failuresKnown, signal });
  }
  return result;
}
