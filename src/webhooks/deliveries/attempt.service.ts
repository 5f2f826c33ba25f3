import type { EventRow } from '../../events/events.model.ts';
import { requiredVenueId } from '../../events/events.rules.ts';
import { canReceiveCached } from '../../partners/can-receive.service.ts';
import { ROW_LOCK_MARGIN_MS } from '../../process/config/take-over.rules.ts';
import type { Context } from '../../process/context.ts';
import type { SendOutcome } from '../sender/collect-response.ts';
import type { Destination, SendPermit, SendPermits } from '../sender/send-permits.ts';
import type { WebhookSender } from '../sender/send-webhook.ts';
import { type OpenSecrets, removeExpiredSecret } from '../subscriptions/secrets.service.ts';
import { isKnownToFail } from '../subscriptions/subscription-health.service.ts';
import {
  type FoundSubscription,
  findCachedSubscription,
  findSubscription,
} from '../subscriptions/subscriptions.store.ts';
import type { AttemptError, DeliveryRow } from './deliveries.model.ts';
import type { RetryConfig } from './retry-schedule.rules.ts';

export type SendDeps = Pick<Context, 'db' | 'clock' | 'log' | 'secretBox'> & {
  sender: Pick<WebhookSender, 'send'>;
  queues: Pick<Context['queues'], 'addDeadLetters' | 'removeDeadLetters' | 'scheduleDeliveries'>;
  permits: SendPermits;
  config: RetryConfig & { webhookTimeoutMs: number; cacheLeaseMs: number };
};

/** How long an attempt locks its row for one worker. */
export const lockMs = ({ config }: Pick<SendDeps, 'config'>): number => config.webhookTimeoutMs + ROW_LOCK_MARGIN_MS;

/** A subscription, from the database or from a cache entry that was younger than `cacheLeaseMs` / 2 at `readAtMs`. */
export type Receiver = { subscription: FoundSubscription; readAtMs: number };

/** An attempt with its row locked for this worker. `row`: the row before the attempt. */
export type BegunAttempt = Receiver & {
  row: DeliveryRow;
  event: EventRow;
  secrets: OpenSecrets;
  attemptId: string;
  /** The right to one concurrent send, released after the response and before recording the outcome. */
  permit: Pick<SendPermit, 'release'>;
  /** Aborts when the process can no longer wait for the response. */
  signal: AbortSignal;
  /** When the attempt was sent, if its row was written earlier. */
  sentAt?: Date;
};

export type AttemptOutcome = Omit<SendOutcome, 'error'> & { error: AttemptError | null };

/**
 * The receiver of the event. Null if the partner may not (or no longer) receive it: its subscription was deactivated,
 * or the partner was suspended or has lost the grant for the venue.
 */
export async function findReceiver(
  deps: Pick<SendDeps, 'db'>,
  { subscriptionId, partnerId }: Destination,
  event: EventRow,
): Promise<Receiver | null> {
  const readAtMs = performance.now();
  const [subscription, canReceive] = await Promise.all([
    findSubscriptionToSend(deps, subscriptionId),
    canReceiveCached(deps, { partnerId, venueId: requiredVenueId(event) }),
  ]);
  // The subscription must belong to the delivery's partner: the body has data for that partner only.
  if (subscription?.status !== 'active' || subscription.partnerId !== partnerId || !canReceive) return null;
  return { subscription, readAtMs };
}

/**
 * Reads the cache, or the database if the cached row is inactive or failing, because these states must not be stale.
 */
export async function findSubscriptionToSend(
  deps: Pick<SendDeps, 'db'>,
  subscriptionId: string,
): Promise<FoundSubscription | null> {
  const cached = isKnownToFail(deps, subscriptionId) ? null : await findCachedSubscription(deps.db, subscriptionId);
  const isUsable = cached?.status === 'active' && cached.consecutiveFailures === 0;
  const subscription = isUsable ? cached : await findSubscription(deps.db, subscriptionId);
  if (subscription !== null) await removeExpiredSecret(deps, subscription);
  return subscription;
}

/**
 * Whether endpoint, secret and status are still those that an attempt `used`. If not, the attempt must not be sent, or,
 * if it was sent and failed, does not count.
 */
export function isUnchanged(current: FoundSubscription | null, used: FoundSubscription): boolean {
  if (current?.status !== 'active' || current.endpointUrl !== used.endpointUrl) return false;
  // Do not compare encrypted secrets: encrypting the same secret with a new key changes the text.
  return current.secretRotatedAt?.getTime() === used.secretRotatedAt?.getTime();
}
