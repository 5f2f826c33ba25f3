import type { EventRow } from '../../events/events.model.ts';
import { requiredVenueId } from '../../events/events.rules.ts';
import { canReceiveNow } from '../../partners/can-receive.service.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Destination } from '../sender/send-permits.ts';
import { forgetOverlapped, forgetSecrets } from '../subscriptions/secrets.service.ts';
import { isKnownToFail } from '../subscriptions/subscription-health.service.ts';
import {
  type FoundSubscription,
  findCachedSubscription,
  findSubscription,
} from '../subscriptions/subscriptions.store.ts';

type ReceiverDeps = { db: Db; log: Logger; secretBox: SecretBox };

/** A subscription, read at `readAtMs` (`performance.now()`) or cached then for less than half a lease. */
export type Receiver = { subscription: FoundSubscription; readAtMs: number };

/**
 * The receiver of the event. Null if the partner may not (or no longer) receive it: its subscription was deactivated,
 * or the partner was suspended or has lost the grant for the venue.
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
  // Take the partner from the subscription, not from the job: the body has data for that partner only.
  if (subscription?.status !== 'active' || subscription.partnerId !== partnerId || !canReceive) return null;
  return { subscription, readAtMs };
}

/** Reads the cache; reads the database if the cached row is inactive or failing, because that must not be stale. */
export async function findSubscriptionToSend(
  deps: ReceiverDeps,
  subscriptionId: string,
): Promise<FoundSubscription | null> {
  const cached = isKnownToFail(deps, subscriptionId) ? null : await findCachedSubscription(deps.db, subscriptionId);
  const isUsable = cached?.status === 'active' && cached.consecutiveFailures === 0;
  const subscription = isUsable ? cached : await findSubscription(deps.db, subscriptionId);
  if (subscription !== null) await forgetOverlapped(deps, subscription);
  if (subscription?.status === 'inactive') forgetSecrets(deps, subscription);
  return subscription;
}

/**
 * Whether endpoint, secret or status have changed since an attempt read them. If so, its failure says nothing about the
 * current endpoint. Reads the newest state, which has every change acknowledged before the attempt ended.
 */
export async function hasChanged({ db }: { db: Db }, used: FoundSubscription): Promise<boolean> {
  const now = await findSubscription(db, used._id);
  return now === null || !isAlike(now, used);
}

/** Whether a message signed for one of them is valid for the other. */
export function isAlike(now: FoundSubscription, used: FoundSubscription): boolean {
  if (now.status !== 'active' || now.endpointUrl !== used.endpointUrl) return false;
  // Do not compare the sealed secrets: sealing the same secret under a new key changes the text.
  return now.secretRotatedAt?.getTime() === used.secretRotatedAt?.getTime();
}
