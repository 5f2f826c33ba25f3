import type { Db } from '../../platform/mongo.ts';
import type { SubscriptionRow } from '../subscriptions/subscriptions.model.ts';
import { markInactive } from '../subscriptions/subscriptions.service.ts';
import { cancelWaiting } from './delivery-series.store.ts';

/**
 * Stops deliveries to a subscription: what waits is cancelled, and when it returns nothing is made for it or sent to it any more.
 * Deactivating it again changes nothing; where the first call broke off in between, it cancels what still
 * waits (a worker that comes to it sooner cancels it too). @throws DomainError WEBHOOK_NOT_FOUND
 */
export async function deactivateSubscription(
  deps: { db: Db },
  subscriptionId: string,
): Promise<SubscriptionRow> {
  const subscription = await markInactive(deps, subscriptionId);
  await cancelWaiting(deps.db, subscription.partnerId, subscriptionId);
  return subscription;
}
