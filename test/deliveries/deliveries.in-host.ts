import { cancelDelivery, cancelWaiting } from '../../src/webhooks/deliveries/delivery-states.store.ts';
import { redeliver } from '../../src/webhooks/deliveries/redelivery.service.ts';
import type { Service } from '../support/service.ts';
import { attemptDelivery, standardSender } from '../support/service-calls.ts';

type Context = Service['context'];

/** A secret as the service stores it; a different text each time. */
export async function seal(
  { secretBox }: Context,
  secret: string,
  aad: { owner: string; id: string },
): Promise<string> {
  return secretBox.seal(secret, aad);
}

/** Redelivers as in production, without private networks. */
export async function redeliverGuarded(context: Context, partnerId: string, deliveryId: string): Promise<void> {
  const config = { ...context.config, webhookAllowPrivateNetworks: false };
  await redeliver({ ...context, config }, partnerId, deliveryId);
}

/** Runs these jobs of a delivery as a worker does, one after the other. */
export async function runJobs(
  context: Context,
  deliveryId: string,
  jobs: readonly { generation: number; isKnownDead: boolean }[],
): Promise<void> {
  const sender = standardSender();
  try {
    for (const job of jobs) await attemptDelivery({ context }, sender, deliveryId, { isMadeDue: false, job });
  } finally {
    await sender.close();
  }
}

export async function cancelSeries({ db }: Context, deliveryId: string, generation: number): Promise<void> {
  await cancelDelivery(db, { _id: deliveryId, generation });
}

/** Cancels all waiting deliveries of a subscription. */
export async function cancelAllOf({ db }: Context, partnerId: string, subscriptionId: string): Promise<void> {
  await cancelWaiting(db, partnerId, subscriptionId);
}
