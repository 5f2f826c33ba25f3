import type { WebhookSender } from '../../src/sender/send-webhook.ts';
import { createWebhookSender } from '../../src/sender/send-webhook.ts';
import type { Json, Partner, Venue } from './factories.ts';
import { anyPartner, anyVenue, freeSlotIds, placeHold } from './factories.ts';
import type { WebhookReceiver } from './receiver.ts';
import { startReceiver } from './receiver.ts';
import type { Stored } from './rows.ts';
import { rowOf, rowsOf } from './rows.ts';
import type { Service } from './service.ts';
import { startService } from './service.ts';
import type { ServiceCalls } from './service-calls.ts';

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
  service: Stored & ServiceCalls,
  by: Partner,
  receiver: Partner,
  slotId: string,
): Promise<string> {
  const hold = await placeHold(by, slotId);
  await service.dispatch(String(hold['hold_id']));
  const [event] = await rowsOf(service, 'events', { holdId: hold['hold_id'] });
  return (await rowOf(service, 'deliveries', { eventId: event?._id, partnerId: receiver.id }))._id;
}
