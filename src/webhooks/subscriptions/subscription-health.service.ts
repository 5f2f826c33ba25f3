import { LRUCache } from 'lru-cache';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import type { Db } from '../../platform/mongo.ts';
import { recordFailure, recordSuccess } from './subscription-health.store.ts';
import type { SubscriptionRow } from './subscriptions.model.ts';

const failingOf = memoizeByObject(() => new Set<string>());

/** Whether the last attempt by this process at the subscription's endpoint failed. */
export function isKnownToFail({ db }: { db: Db }, subscriptionId: string): boolean {
  return failingOf(db).has(subscriptionId);
}

/** The endpoints for which this process has recorded a success within the last second. */
const recentSuccessesOf = memoizeByObject(() => new LRUCache<string, true>({ max: 10_000, ttl: 1000 }));

/**
 * Records the result of an attempt in the health of the endpoint (endpoint-health.rules.ts). A process records a
 * success of a healthy endpoint once a second at most, to save writes under load; the cached row cannot decide this,
 * because concurrent attempts read it before the first of them ended.
 */
export async function recordHealth(deps: { db: Db }, subscription: SubscriptionRow, isSuccess: boolean): Promise<void> {
  const recentSuccesses = recentSuccessesOf(deps.db);
  const endpoint = `${subscription._id} ${subscription.endpointUrl}`;
  if (!isSuccess) {
    failingOf(deps.db).add(subscription._id);
    recentSuccesses.delete(endpoint);
    return recordFailure(deps.db, subscription);
  }
  failingOf(deps.db).delete(subscription._id);
  if (subscription.consecutiveFailures === 0 && recentSuccesses.has(endpoint)) return;
  recentSuccesses.set(endpoint, true);
  try {
    await recordSuccess(deps.db, subscription);
  } catch (err) {
    recentSuccesses.delete(endpoint);
    throw err;
  }
}
