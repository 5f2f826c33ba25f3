import type { PartnerClient } from 'partner-booking-client';
import type { Store } from './store.ts';

const EVENT_TYPES = [
  'hold_created',
  'hold_cancelled',
  'hold_expired',
  'booking_created',
  'booking_cancelled',
  'booking_refunded',
  'availability_changed',
] as const;

const OVERLAP_SECONDS = 86_400;

/**
 * Subscribes `endpointUrl` to all events, and stores the secret. Reuses a subscription, because subscriptions cannot be
 * deleted, and rotates its secret if the store lacks it.
 */
export async function ensureSubscription(store: Store, client: PartnerClient, endpointUrl: string): Promise<void> {
  const { data } = await client.listSubscriptions();
  // The service returns normalised URLs: the host in lower case, and `/` as an empty path.
  const { href } = new URL(endpointUrl);
  const found = data.find((each) => each.endpoint_url === href && each.status === 'active');
  if (found === undefined) {
    const body = { endpoint_url: endpointUrl, event_types: [...EVENT_TYPES] };
    const { id, secret_key: secretKey } = await client.createSubscription({ body });
    await store.changeSecret({ secretKey, subscriptionId: id });
    return;
  }
  const missing = EVENT_TYPES.filter((type) => !(found.event_types as string[]).includes(type));
  if (missing.length > 0)
    await client.changeSubscription({ path: { id: found.id }, body: { event_types: [...EVENT_TYPES] } });
  if (store.secret()?.subscriptionId !== found.id) {
    const { secret_key: secretKey } = await client.rotateSecret({ path: { id: found.id } });
    await store.changeSecret({ secretKey, subscriptionId: found.id });
  }
}

/**
 * Rotates the secret without losing a delivery. For a day the service signs with both secrets: the shop verifies with
 * the old secret until the new one is on disk, then only with the new one.
 */
export async function rotateSecret(store: Store, client: PartnerClient): Promise<void> {
  const subscriptionId = store.secret()?.subscriptionId;
  if (subscriptionId === undefined) throw new Error('There is no subscription: set PUBLIC_URL and start again');
  const { secret_key: secretKey } = await client.rotateSecret({
    path: { id: subscriptionId },
    body: { overlap_seconds: OVERLAP_SECONDS },
  });
  await store.changeSecret({ secretKey, subscriptionId });
}
