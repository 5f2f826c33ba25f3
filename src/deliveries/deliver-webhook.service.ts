import { LEASE_MARGIN_MS } from '../config/take-over.rules.ts';
import type { EventRow } from '../events/events.model.ts';
import { requiredVenueId } from '../events/events.rules.ts';
import { findEvent } from '../events/events.store.ts';
import { canReceiveNow } from '../partners/can-receive.service.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { leasedCacheOf } from '../platform/leased-cache.ts';
import type { Logger } from '../platform/logger.ts';
import type { Db } from '../platform/mongo.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { Queues } from '../queues/queues.ts';
import type { SendOutcome } from '../sender/collect-response.ts';
import type { SendPermit, SendPermits } from '../sender/send-permits.ts';
import { deferralMs } from '../sender/send-permits.ts';
import type { WebhookSender } from '../sender/send-webhook.ts';
import { findCachedSubscription } from '../subscriptions/cached-subscriptions.service.ts';
import { forgetOverlapped, forgetSecrets, openSecrets } from '../subscriptions/secrets.service.ts';
import { isKnownToFail, recordHealth } from '../subscriptions/subscription-health.service.ts';
import type { SubscriptionRow } from '../subscriptions/subscriptions.model.ts';
import { findSubscription } from '../subscriptions/subscriptions.store.ts';
import { beginAttempt, settleAttempt } from './attempts.store.ts';
import { raiseDeadLetter } from './dead-letter-queue.service.ts';
import type { AttemptError, DeliveryRow, DeliveryState } from './deliveries.model.ts';
import { findDelivery } from './deliveries.store.ts';
import { cancelDelivery } from './delivery-series.store.ts';
import type { RetryConfig } from './retry-schedule.rules.ts';
import { afterAttempt } from './retry-schedule.rules.ts';
import { composeMessage } from './signed-message.service.ts';

export type DeliverDeps = {
  db: Db;
  clock: Clock;
  log: Logger;
  secretBox: SecretBox;
  sender: Pick<WebhookSender, 'send'>;
  queues: Pick<Queues, 'addDeadLetters' | 'removeDeadLetters'>;
  permits: SendPermits;
  config: RetryConfig & { webhookTimeoutMs: number };
};

/** What the worker is asked to do: one attempt of a series. */
export type DueAttempt = {
  deliveryId: string;
  subscriptionId: string;
  /** The receiving partner. */
  partnerId: string;
  generation: number;
  /** Failures of this series that the queue knows of; fewer than the row has when a worker died after recording one. */
  failuresKnown: number;
  signal: AbortSignal;
};

/**
 * What came of it, for the queue:
 * - `done`: nothing more to do (delivered, cancelled, or of an earlier series)
 * - `retry`: failed, try again after `inMs`
 * - `dead`: failed for the last time; the row, the dead-letter queue and the operator know. `isWithheld`: it was so before, and
 *   nothing was sent, for its receiver cannot receive it
 * - `later`: nothing was counted, come back after `inMs`
 *
 * `attemptsMade` is what the row counts now, so that the queue can keep in step.
 */
export type AttemptResult =
  | { kind: 'done' }
  | { kind: 'dead'; attemptsMade: number; isWithheld?: true }
  | { kind: 'retry' | 'later'; inMs: number; attemptsMade: number };

const SECRET_RETRY_MS = 10_000;
/** There is nothing more to send. */
const ENDED: readonly DeliveryState[] = ['succeeded', 'cancelled', 'discarded'];
/** A job that comes earlier than this before its row is due waits: the hosts' clocks, by which the queue goes, disagree. */
const EARLY_MS = 1000;

/**
 * Makes one attempt of a delivery. The row decides its number, what follows, and when it is due, by the database's clock: a job
 * that comes before that waits, one that comes twice or after the row has moved on sends nothing. A job that is run again for
 * a dead letter (Bull Board's retry) is one manual attempt, of which a failure changes nothing. What waits for a receiver
 * that cannot receive it (any more) is cancelled: its subscription is inactive, its partner suspended or without a grant for
 * the venue (ADR 0006). A dead letter stays one. What is read and written is so together with the attempts that are under way in this
 * process (ADR 0034).
 */
export async function deliverWebhook(deps: DeliverDeps, due: DueAttempt): Promise<AttemptResult> {
  // Before anything is read: behind a dead endpoint there may be very many of these.
  const permit = await deps.permits.acquire(due, due.signal);
  if (permit === null) {
    return { kind: 'later', inMs: due.signal.aborted ? 0 : deferralMs(), attemptsMade: due.failuresKnown };
  }
  try {
    return await deliver(deps, due, permit);
  } finally {
    permit.release();
  }
}

async function deliver(deps: DeliverDeps, due: DueAttempt, permit: SendPermit): Promise<AttemptResult> {
  const [row] = await Promise.all([findDelivery(deps.db, due.deliveryId), leasedCacheOf(deps.db).freshen()]);
  if (row === null || row.generation !== due.generation) return { kind: 'done' };
  if (ENDED.includes(row.state)) return { kind: 'done' };
  const isBehind = due.failuresKnown < row.attemptsMade;
  if (row.state === 'dead_letter' && isBehind) return { kind: 'dead', attemptsMade: row.attemptsMade };
  const waitMs = (row.nextAttemptAt?.getTime() ?? 0) - deps.clock.now().getTime();
  if (waitMs > (isBehind ? 0 : EARLY_MS)) {
    return { kind: 'later', inMs: waitMs, attemptsMade: row.attemptsMade };
  }

  const [subscription, event] = await Promise.all([
    subscriptionOf(deps, row.subscriptionId),
    readEventFor(deps, row),
  ]);
  if (subscription !== null) await forgetOverlapped(deps, subscription);
  if (subscription?.status === 'inactive') forgetSecrets(deps, subscription);
  if (subscription?.status !== 'active' || event === null) {
    if (row.state === 'dead_letter') {
      return { kind: 'dead', attemptsMade: row.attemptsMade, isWithheld: true };
    }
    await cancelDelivery(deps.db, row);
    return { kind: 'done' };
  }
  if (!permit.beginSend(subscription.consecutiveFailures)) {
    return { kind: 'later', inMs: deferralMs(), attemptsMade: row.attemptsMade };
  }
  return attempt(deps, row, subscription, event, due.signal);
}

/**
 * From memory, unless something is to be withheld for what it says: that it is inactive, or that its endpoint fails, of which memory
 * knows too little.
 */
async function subscriptionOf(deps: DeliverDeps, subscriptionId: string): Promise<SubscriptionRow | null> {
  const cached = isKnownToFail(deps, subscriptionId)
    ? null
    : await findCachedSubscription(deps.db, subscriptionId);
  if (cached?.status === 'active' && cached.consecutiveFailures === 0) return cached;
  return findSubscription(deps.db, subscriptionId);
}

/** The event, or null where its receiver cannot receive it (any more): its partner may have been suspended or lost the grant meanwhile. */
async function readEventFor(
  deps: DeliverDeps,
  { eventId, partnerId }: DeliveryRow,
): Promise<EventRow | null> {
  const event = await findEvent(deps.db, eventId);
  return event !== null && (await canReceiveNow(deps, { partnerId, venueId: requiredVenueId(event) }))
    ? event
    : null;
}

async function attempt(
  deps: DeliverDeps,
  row: DeliveryRow,
  subscription: SubscriptionRow,
  event: EventRow,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const secrets = openSecrets(deps, subscription);
  if (secrets === undefined) {
    return { kind: 'later', inMs: SECRET_RETRY_MS, attemptsMade: row.attemptsMade };
  }
  const attemptId = newId();
  const leaseMs = deps.config.webhookTimeoutMs + LEASE_MARGIN_MS;
  const isBegun = await beginAttempt(deps.db, row, attemptId, leaseMs);
  if (!isBegun) return { kind: 'later', inMs: leaseMs / 3, attemptsMade: row.attemptsMade };
  const sent = await deps.sender.send({
    ...composeMessage(deps, row, subscription.endpointUrl, secrets, event, attemptId),
    signal,
  });
  const isOutdated = !sent.ok && (await hasChanged(deps, subscription));
  const outcome: AttemptOutcome = isOutdated ? { ...sent, error: 'subscription_changed' } : sent;
  return settle(deps, row, subscription, attemptId, outcome);
}

type AttemptOutcome = Omit<SendOutcome, 'error'> & { error: AttemptError | null };

/**
 * Whether the address, the secret or the status with which an attempt was made has been changed since it was read: its failure
 * then says nothing of the endpoint as it is now. Asked of failures alone, and of the newest that the primary has, so that a
 * change which was acknowledged before the attempt ended is never missed.
 */
async function hasChanged(deps: DeliverDeps, used: SubscriptionRow): Promise<boolean> {
  const now = await findSubscription(deps.db, used._id);
  if (now?.status !== 'active' || now.endpointUrl !== used.endpointUrl) return true;
  // Not by what is sealed, which is another text for the same secret once it has been sealed under a new key.
  return now.secretRotatedAt?.getTime() !== used.secretRotatedAt?.getTime();
}

async function settle(
  deps: DeliverDeps,
  row: DeliveryRow,
  subscription: SubscriptionRow,
  attemptId: string,
  outcome: AttemptOutcome,
): Promise<AttemptResult> {
  const next = afterAttempt(deps.config, row, outcome.error);
  const { statusCode, error, durationMs, responseExcerpt } = outcome;
  const response = { statusCode, error, durationMs, responseExcerpt };
  const isSettled = await settleAttempt(deps.db, row, attemptId, { ...response, ...next });
  const { state, attemptsMade, nextAttemptInMs } = next;
  logAttempt(deps, row, subscription, attemptId, outcome, state);
  if (!isSettled) return { kind: 'later', inMs: 1000, attemptsMade };
  if (next.outcome === 'interrupted') return { kind: 'later', inMs: 0, attemptsMade };
  if (outcome.ok && row.state === 'dead_letter') await deps.queues.removeDeadLetters([row._id]);
  await recordHealth(deps, subscription, outcome.ok);
  if (outcome.ok) return { kind: 'done' };
  if (nextAttemptInMs !== null) return { kind: 'retry', inMs: nextAttemptInMs, attemptsMade };
  if (next.isNewDeadLetter) await raiseDeadLetter(deps, { ...row, attemptsMade, attempts: [response] });
  return { kind: 'dead', attemptsMade };
}

/** One wide line an attempt. */
function logAttempt(
  deps: DeliverDeps,
  row: DeliveryRow,
  subscription: SubscriptionRow,
  attemptId: string,
  outcome: AttemptOutcome,
  state: DeliveryRow['state'],
): void {
  deps.log.info(
    {
      delivery: row._id,
      delivery_id: attemptId,
      event_id: row.eventId,
      event_type: row.eventType,
      subscription_id: subscription._id,
      partner_id: row.partnerId,
      attempt: row.attemptsMade + 1,
      status_code: outcome.statusCode,
      error: outcome.error,
      duration_ms: outcome.durationMs,
      state,
    },
    'delivery attempted',
  );
}
