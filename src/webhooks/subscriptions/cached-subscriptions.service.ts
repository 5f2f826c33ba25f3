import type { EntryKind } from '../../platform/cache-entries.store.ts';
import { leasedCacheOf } from '../../platform/leased-cache.ts';
import type { Db } from '../../platform/mongo.ts';
import type { SubscriptionRow } from './subscriptions.model.ts';
import type { FoundSubscription } from './subscriptions.store.ts';

const SUBSCRIPTIONS: EntryKind = { collection: 'webhook_subscriptions', stages: [] };

/** The subscription from the cache (ADR 0006). What came of attempts (`consecutiveFailures` and what goes with it) may be older. */
export async function findCachedSubscription(
  db: Db,
  subscriptionId: string,
): Promise<FoundSubscription | null> {
  const found = await leasedCacheOf(db).read<SubscriptionRow>(SUBSCRIPTIONS, subscriptionId);
  if (found === null) return null;
  const { value, at, readAtMs } = found;
  const monotonic = (instant: Date | null) =>
    instant === null ? null : instant.getTime() - at.getTime() + readAtMs;
  return {
    ...value,
    rotatedAtMs: monotonic(value.secretRotatedAt),
    overlapEndsAtMs: monotonic(value.previousSecretUntil),
  };
}
