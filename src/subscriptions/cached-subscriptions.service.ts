import { grantsTag, partnerTag } from '../partners/cached-partners.service.ts';
import { granteesOf } from '../partners/can-receive.service.ts';
import { leasedCacheOf } from '../platform/leased-cache.ts';
import type { Db } from '../platform/mongo.ts';
import type { SubscriptionRow } from './subscriptions.model.ts';
import type { FoundSubscription } from './subscriptions.store.ts';
import { findActiveSubscriptions, findSubscription } from './subscriptions.store.ts';

/**
 * The subscription, from memory where it was asked for lately (ADR 0037). What came of attempts (`consecutiveFailures` and what goes
 * with it) may be some seconds old.
 */
export async function findCachedSubscription(
  db: Db,
  subscriptionId: string,
): Promise<FoundSubscription | null> {
  return leasedCacheOf(db).read(`subscription:${subscriptionId}`, async () => {
    const found = await findSubscription(db, subscriptionId);
    return found === null ? null : { value: found, tags: [partnerTag(found.partnerId)] };
  });
}

/** An active subscription of an active partner that has a grant for the venue. */
export type VenueSubscription = Pick<SubscriptionRow, '_id' | 'partnerId' | 'eventTypes'>;

/** Those who can receive the events of the venue, from memory where that was asked lately. */
export async function subscriptionsAt(db: Db, venueId: string): Promise<readonly VenueSubscription[]> {
  const found = await leasedCacheOf(db).read<VenueSubscription[]>(`subscriptions-at:${venueId}`, async () => {
    const { partnerIds, active } = await granteesOf({ db }, venueId);
    const value = await findActiveSubscriptions(db, [...active]);
    return { value, tags: [grantsTag(venueId), ...partnerIds.map(partnerTag)] };
  });
  return found ?? [];
}

/** To be called after every change of a partner's subscriptions: an attempt that begins after that knows of it. */
export async function subscriptionsChanged({ db }: { db: Db }, partnerId: string): Promise<void> {
  await leasedCacheOf(db).changed([partnerTag(partnerId)]);
}

/** To be called instead before a change is answered after which no process may send as before. */
export async function subscriptionsChangedForAll({ db }: { db: Db }, partnerId: string): Promise<void> {
  await leasedCacheOf(db).changedForAll([partnerTag(partnerId)]);
}
