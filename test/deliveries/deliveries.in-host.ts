import { cancelDelivery } from '../../src/webhooks/deliveries/delivery-states.store.ts';
import type { AttemptResult } from '../../src/webhooks/deliveries/retry-delivery.service.ts';
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

/** Runs a job of a delivery; by default the job of the first series. */
export async function runJob(
  context: Context,
  deliveryId: string,
  { generation = 1, isKnownDead = false } = {},
): Promise<AttemptResult | undefined> {
  const sender = standardSender();
  try {
    const job = { generation, isKnownDead };
    return await attemptDelivery({ context }, sender, deliveryId, { isMadeDue: false, job });
  } finally {
    await sender.close();
  }
}

export async function cancelSeries({ db }: Context, deliveryId: string, generation: number): Promise<void> {
  await cancelDelivery(db, { _id: deliveryId, generation });
}
