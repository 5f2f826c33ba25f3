import { cancelDelivery, cancelWaiting } from '../../src/webhooks/deliveries/delivery-states.store.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

export async function cancelSeries({ db }: Context, deliveryId: string, generation: number): Promise<void> {
  await cancelDelivery(db, { _id: deliveryId, generation });
}

/** What waits to be sent to a subscription. */
export async function cancelAllOf({ db }: Context, partnerId: string, subscriptionId: string): Promise<void> {
  await cancelWaiting(db, partnerId, subscriptionId);
}
