import type { EventRow } from '../../events/events.model.ts';
import { requiredVenueId } from '../../events/events.rules.ts';
import { canReceiveNow } from '../../partners/can-receive.service.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Destination } from '../sender/endpoints-in-use.ts';
import { findCachedSubscription } from '../subscriptions/cached-subscriptions.service.ts';
import { forgetOverlapped, forgetSecrets } from '../subscriptions/secrets.service.ts';
import { isKnownToFail } from '../subscriptions/subscription-health.service.ts';
import type { FoundSubscription } from '../subscriptions/subscriptions.store.ts';
import { findSubscription } from '../subscriptions/subscriptions.store.ts';

type ReceiverDeps = { db: Db; log: Logger; secretBox: SecretBox };

/** The subscription, read at `readAtMs` (`performance.now()`) from a cache entry that was less than half a lease old. */
export type Receiver = { subscription: FoundSubscription; readAtMs: number };

/**
 * Who receives the event. Null where that partner may not have it (any more): its
 * subscription was deactivated, or the partner was suspended or has lost the grant for the venue.
 */
export async function findReceiver(
  deps: ReceiverDeps,
  { subscriptionId, partnerId }: Destination,
  event: EventRow,
): Promise<Receiver | null> {
  const readAtMs = performance.now();
  const [subscription, canReceive] = await Promise.all([
    findSubscriptionToSend(deps, subscriptionId),
    canReceiveNow(deps, { partnerId, venueId: requiredVenueId(event) }),
  ]);
  // Its own partner alone is told what it has made itself: of a job, that is not taken for granted.
  if (subscription?.status !== 'active' || subscription.partnerId !== partnerId || !canReceive) return null;
  return { subscription, readAtMs };
}

/**
 * From memory, unless something is to be withheld for what it says: that it is inactive, or that its endpoint fails, of which memory
 * knows too little.
 */
export async function findSubscriptionToSend(
  deps: ReceiverDeps,
  subscriptionId: string,
): Promise<FoundSubscription | null> {
  const cached = isKnownToFail(deps, subscriptionId)
    ? null
    : await findCachedSubscription(deps.db, subscriptionId);
  const isUsable = cached?.status === 'active' && cached.consecutiveFailures === 0;
  const subscription = isUsable ? cached : await findSubscription(deps.db, subscriptionId);
  if (subscription !== null) await forgetOverlapped(deps, subscription);
  if (subscription?.status === 'inactive') forgetSecrets(deps, subscription);
  return subscription;
}

/**
 * Whether the address, the secret or the status with which an attempt was made has been changed since it was read: its failure
 * then says nothing of the endpoint as it is now. Asked of failures alone, and of the newest that the primary has, so that a
 * change which was acknowledged before the attempt ended is never missed.
 */
export async function hasChanged({ db }: { db: Db }, used: FoundSubscription): Promise<boolean> {
  const now = await findSubscription(db, used._id);
  return now === null || !isAlike(now, used);
}

/** Whether a message for one of them is the same for the other. */
export function isAlike(now: FoundSubscription, used: FoundSubscription): boolean {
  if (now.status !== 'active' || now.endpointUrl !== used.endpointUrl) return false;
  // Not by what is sealed, which is another text for the same secret once it has been sealed under a new key.
  return now.secretRotatedAt?.getTime() === used.secretRotatedAt?.getTime();
}
