import type { AttemptResult } from '../../src/deliveries/deliver-webhook.service.ts';
import { deliverWebhook } from '../../src/deliveries/deliver-webhook.service.ts';
import { makeDue } from '../../src/deliveries/delivery-series.store.ts';
import { dispatchEvents } from '../../src/dispatch/event-dispatch.service.ts';
import { createSendPermits } from '../../src/sender/send-permits.ts';
import type { WebhookSender } from '../../src/sender/send-webhook.ts';
import { createWebhookSender } from '../../src/sender/send-webhook.ts';
import type { Json, Partner, Venue } from './factories.ts';
import { anyPartner, anyVenue, freeSlotIds, placeHold } from './factories.ts';
import type { WebhookReceiver } from './receiver.ts';
import { startReceiver } from './receiver.ts';
import { rowOf, rowsOf } from './rows.ts';
import type { Service } from './service.ts';
import { startService } from './service.ts';

/** A service with a sender of its own, a receiver, and a venue with free slots. */
export type DeliveryScene = {
  service: Service;
  sender: WebhookSender;
  receiver: WebhookReceiver;
  venue: Venue;
  slots: string[];
};

export async function startDeliveryScene(resources: Json[], date?: string): Promise<DeliveryScene> {
  const service = await startService();
  const venue = await anyVenue(service, resources);
  const slots = await freeSlotIds(await anyPartner(service, [venue.id]), venue.id, date);
  const sender = createWebhookSender({ timeoutMs: 2000, allowPrivateNetworks: true });
  return { service, sender, receiver: await startReceiver(), venue, slots };
}

export async function endDeliveryScene({
  service,
  sender,
  receiver,
}: Pick<DeliveryScene, 'service' | 'sender' | 'receiver'>): Promise<void> {
  await sender.close();
  await receiver.close();
  await service.stop();
}

/** `by` holds the slot, and the event is dispatched; returns the delivery of it to `receiver`'s one subscription. */
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

/** Makes attempts of a delivery one after the other, each as soon as it waits; returns what came of the last. */
export async function attemptDelivery(
  service: Service,
  sender: Pick<WebhookSender, 'send'>,
  deliveryId: string,
  times = 1,
): Promise<AttemptResult | undefined> {
  let result: AttemptResult | undefined;
  for (let count = 0; count < times; count += 1) {
    await makeDue(service.context.db, deliveryId);
    const row = await rowOf(service, 'deliveries', { _id: deliveryId });
    const { subscriptionId, partnerId, generation, attemptsMade: failuresKnown } = row;
    const deps = { ...service.context, sender, permits: createSendPermits(10, 2) };
    const signal = new AbortController().signal;
    result = await deliverWebhook(deps, {
      ...{ deliveryId, subscriptionId, partnerId, generation },
      ...{ failuresKnown, signal },
    });
  }
  return result;
}
