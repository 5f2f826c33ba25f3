import { onePer } from '../platform/coalesced.ts';
import type { Db } from '../platform/mongo.ts';
import { recordFailure, recordSuccess } from './subscription-health.store.ts';
import type { SubscriptionRow } from './subscriptions.model.ts';

const NOTE_EVERY_MS = 1000;

/** Subscriptions of which an attempt of this process has failed, and none succeeded since. */
const failingOf = onePer(() => new Set<string>());

/** Whether the last attempt of this process at the subscription's endpoint failed. */
export function isKnownToFail({ db }: { db: Db }, subscriptionId: string): boolean {
  return failingOf(db).has(subscriptionId);
}

/** When this process last noted a success of each endpoint, the earliest first; not of one that has failed since. */
const notedAtOf = onePer(() => new Map<string, number>());

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
  const nowMs = performance.now();
  const notedAt = notedAtOf(deps.db);
  const endpoint = `${subscription._id} ${subscription.endpointUrl}`;
  if (!isSuccess) {
    failingOf(deps.db).add(subscription._id);
    notedAt.delete(endpoint);
    return recordFailure(deps.db, subscription);
  }
  failingOf(deps.db).delete(subscription._id);
  forgetOld(notedAt, nowMs);
  if (subscription.consecutiveFailures === 0 && notedAt.has(endpoint)) return;
  notedAt.delete(endpoint);
  notedAt.set(endpoint, nowMs);
  try {
    await recordSuccess(deps.db, subscription);
  } catch (err) {
    notedAt.delete(endpoint);
    throw err;
  }
}

function forgetOld(notedAt: Map<string, number>, nowMs: number): void {
  for (const [endpoint, atMs] of notedAt) {
    if (nowMs - atMs < NOTE_EVERY_MS) return;
    notedAt.delete(endpoint);
  }
}
