import type { Db } from '../../platform/mongo.ts';
import type { SubscriptionRow } from '../subscriptions/subscriptions.model.ts';
import { markInactive } from '../subscriptions/subscriptions.service.ts';
import { cancelWaiting } from './delivery-states.store.ts';

/**
 * Stops deliveries to a subscription: cancels waiting deliveries. After the call, none is created or sent. Safe to
 * repeat, also after an interrupted call. @throws DomainError WEBHOOK_NOT_FOUND
 */
export async function deactivateSubscription(deps: { db: Db }, subscriptionId: string): Promise<SubscriptionRow> {
  const subscription = await markInactive(deps, subscriptionId);
  await cancelWaiting(deps.db, subscription.partnerId, subscriptionId);
  return subscription;
}
