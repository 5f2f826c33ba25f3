import type { WebhookSender } from '../../src/sender/send-webhook.ts';
import { createWebhookSender } from '../../src/sender/send-webhook.ts';
import type { Json, Venue } from './factories.ts';
import { anyPartner, anyVenue, freeSlotIds } from './factories.ts';
import type { WebhookReceiver } from './receiver.ts';
import { startReceiver } from './receiver.ts';
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
