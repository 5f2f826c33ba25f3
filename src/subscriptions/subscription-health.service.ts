import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/mongo.ts';
import { recordFailure, recordSuccess } from './subscription-health.store.ts';
import type { SubscriptionRow } from './subscriptions.model.ts';

/**
 * Records the result of an attempt at the subscription's endpoint (endpoint-health.rules.ts). A success of a healthy endpoint is
 * noted once a second at most: under load the row would be written all the time.
 */
export async function recordHealth(
  deps: { db: Db; clock: Clock },
  subscription: SubscriptionRow,
  isSuccess: boolean,
): Promise<void> {
  const now = deps.clock.now();
  if (!isSuccess) return recordFailure(deps.db, subscription, now);
  const lastMs = subscription.lastSuccessAt?.getTime() ?? 0;
  if (subscription.consecutiveFailures > 0 || now.getTime() - lastMs >= 1000) {
    await recordSuccess(deps.db, subscription, now);
  }
}
