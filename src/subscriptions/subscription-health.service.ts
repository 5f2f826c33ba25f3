import type { Clock } from '../platform/clock.ts';
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
 * noted once a second at most: under load the row would be written all the time. Of that the row, as it was read before the attempt,
 * does not tell enough: the attempts under way have all read it as it was before the first of them ended.
 */
export async function recordHealth(
  deps: { db: Db; clock: Clock },
  subscription: SubscriptionRow,
  isSuccess: boolean,
): Promise<void> {
  const [now, monotonicMs] = [deps.clock.now(), performance.now()];
  const notedAt = notedAtOf(deps.db);
  const endpoint = `${subscription._id} ${subscription.endpointUrl}`;
  if (!isSuccess) {
    failingOf(deps.db).add(subscription._id);
    notedAt.delete(endpoint);
    return recordFailure(deps.db, subscription, now);
  }
  failingOf(deps.db).delete(subscription._id);
  forgetOld(notedAt, monotonicMs);
  const lastMs = subscription.lastSuccessAt?.getTime() ?? 0;
  const isNoted = notedAt.has(endpoint) || now.getTime() - lastMs < NOTE_EVERY_MS;
  if (subscription.consecutiveFailures === 0 && isNoted) return;
  notedAt.delete(endpoint);
  notedAt.set(endpoint, monotonicMs);
  try {
    await recordSuccess(deps.db, subscription, now);
  } catch (err) {
    notedAt.delete(endpoint);
    throw err;
  }
}

function forgetOld(notedAt: Map<string, number>, monotonicMs: number): void {
  for (const [endpoint, atMs] of notedAt) {
    if (monotonicMs - atMs < NOTE_EVERY_MS) return;
    notedAt.delete(endpoint);
  }
}
