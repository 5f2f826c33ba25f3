import { LRUCache } from 'lru-cache';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import type { Db } from '../../platform/mongo.ts';
import { recordFailure, recordSuccess } from './subscription-health.store.ts';
import type { SubscriptionRow } from './subscriptions.model.ts';

/** Subscriptions of which an attempt of this process has failed, and none succeeded since. */
const failingOf = memoizeByObject(() => new Set<string>());

/** Whether the last attempt of this process at the subscription's endpoint failed. */
export function isKnownToFail({ db }: { db: Db }, subscriptionId: string): boolean {
  return failingOf(db).has(subscriptionId);
}

/** Endpoints of which this process has noted a success in the last second; not those that have failed since. */
const notedOf = memoizeByObject(() => new LRUCache<string, true>({ max: 10_000, ttl: 1000 }));

/**
 * Records the result of an attempt at the subscription's endpoint (endpoint-health.rules.ts). A success of a healthy endpoint is
 * noted once a second at most by a process: under load the row would be written all the time. Of that the row, as it was read before
 * the attempt, does not tell enough: the attempts under way have all read it as it was before the first of them ended.
 */
export async function recordHealth(
  deps: { db: Db },
  subscription: SubscriptionRow,
  isSuccess: boolean,
): Promise<void> {
  const noted = notedOf(deps.db);
  const endpoint = `${subscription._id} ${subscription.endpointUrl}`;
  if (!isSuccess) {
    failingOf(deps.db).add(subscription._id);
    noted.delete(endpoint);
    return recordFailure(deps.db, subscription);
  }
  failingOf(deps.db).delete(subscription._id);
  if (subscription.consecutiveFailures === 0 && noted.has(endpoint)) return;
  noted.set(endpoint, true);
  try {
    await recordSuccess(deps.db, subscription);
  } catch (err) {
    noted.delete(endpoint);
    throw err;
  }
}
