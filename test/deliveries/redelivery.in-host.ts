import { addMissingJobs } from '../../src/webhooks/deliveries/create-deliveries.service.ts';
import { raiseForgottenDeadLetters } from '../../src/webhooks/deliveries/dead-letter-queue.service.ts';
import { redeliver } from '../../src/webhooks/deliveries/redelivery.service.ts';
import { retryDelivery } from '../../src/webhooks/deliveries/retry-delivery.service.ts';
import { createSendPermits } from '../../src/webhooks/sender/send-permits.ts';
import { rowOf } from '../support/rows.ts';
import type { Service } from '../support/service.ts';
import { standardSender } from '../support/service-calls.ts';

type Context = Service['context'];

/** As in production: no private networks. */
const guarded = (context: Context): Context => ({
  ...context,
  config: { ...context.config, webhookAllowPrivateNetworks: false },
});

export async function redeliverGuarded(context: Context, partnerId: string, deliveryId: string): Promise<void> {
  await redeliver(guarded(context), partnerId, deliveryId);
}

/** Puts the jobs back of what has been due for a second. */
export async function sweep(context: Context): Promise<void> {
  const stopping = new AbortController().signal;
  await addMissingJobs(context, { graceMs: 1000, limit: 500, afterId: '', stopping });
}

/** Tells the operator of the dead letters of which nothing was told; returns of how many. */
export function raiseForgotten(context: Context): Promise<number> {
  const stopping = new AbortController().signal;
  return raiseForgottenDeadLetters(context, { graceMs: 0, limit: 10, stopping });
}

/** What a worker does when these jobs of a delivery come to it, one after the other. */
export async function runJobs(
  context: Context,
  deliveryId: string,
  jobs: readonly { generation: number; isKnownDead: boolean }[],
): Promise<void> {
  const { subscriptionId, partnerId } = await rowOf({ context }, 'deliveries', { _id: deliveryId });
  const sender = standardSender();
  const deps = { ...context, sender, permits: createSendPermits(10, 2) };
  const { signal } = new AbortController();
  try {
    for (const job of jobs) {
      await retryDelivery(deps, { deliveryId, subscriptionId, partnerId, ...job, signal });
    }
  } finally {
    await sender.close();
  }
}
