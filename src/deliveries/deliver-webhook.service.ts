import { LEASE_MARGIN_MS } from '../config/take-over.rules.ts';
import type { EventRow } from '../events/events.model.ts';
import { requiredVenueId, traceparentOfEvent } from '../events/events.rules.ts';
import { findEvent } from '../events/events.store.ts';
import { canReceiveNow } from '../partners/can-receive.service.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { leasedCacheOf } from '../platform/leased-cache.ts';
import type { Logger } from '../platform/logger.ts';
import type { Db } from '../platform/mongo.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { inSpan } from '../platform/tracing.ts';
import type { Queues } from '../queues/queues.ts';
import type { SendOutcome } from '../sender/collect-response.ts';
import type { SendPermit, SendPermits } from '../sender/send-permits.ts';
import { deferralMs } from '../sender/send-permits.ts';
import type { WebhookMessage, WebhookSender } from '../sender/send-webhook.ts';
import { findCachedSubscription } from '../subscriptions/cached-subscriptions.service.ts';
import type { OpenSecrets } from '../subscriptions/secrets.service.ts';
import {
  forgetOverlapped,
  forgetSecrets,
  msUntilRotationAnswered,
  openSecrets,
} from '../subscriptions/secrets.service.ts';
import { isKnownToFail, recordHealth } from '../subscriptions/subscription-health.service.ts';
import type { FoundSubscription } from '../subscriptions/subscriptions.store.ts';
import { findSubscription } from '../subscriptions/subscriptions.store.ts';
import { countAttempt } from './attempt-metrics.ts';
import { beginAttempt, settleAttempt } from './attempts.store.ts';
import { raiseDeadLetter } from './dead-letter-queue.service.ts';
import type { AttemptError, DeliveryRow, DeliveryState } from './deliveries.model.ts';
import { findDelivery } from './deliveries.store.ts';
import { cancelDelivery } from './delivery-series.store.ts';
import { causeOf, deliveryFields, eventFields } from './log-fields.rules.ts';
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
  config: RetryConfig & { webhookTimeoutMs: number; cacheLeaseMs: number };
};

/** What the worker is asked to do: one attempt of a series. */
export type DueAttempt = {
  deliveryId: string;
  subscriptionId: string;
  /** The receiving partner. */
  partnerId: string;
  /** Absent where the job does not say it. */
  eventId?: string;
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
 * `attemptsMade` is what the row counts now, so that the queue can keep in step. `cause` is why this attempt failed, in words.
 */
export type AttemptResult =
  | { kind: 'done' }
  | { kind: 'dead'; attemptsMade: number; cause?: string; isWithheld?: true }
  | { kind: 'retry'; inMs: number; attemptsMade: number; cause: string }
  | { kind: 'later'; inMs: number; attemptsMade: number };

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
  const created = asCreated(due);
  if (created !== null) {
    const content = await contentFor(deps, created);
    const result = content === null ? null : await attempt(deps, created, content, permit, due.signal);
    if (result !== null) return result;
  }
  const row = await findDelivery(deps.db, due.deliveryId);
  if (row === null || row.generation !== due.generation) return { kind: 'done' };
  if (ENDED.includes(row.state)) return { kind: 'done' };
  const isBehind = due.failuresKnown < row.attemptsMade;
  if (row.state === 'dead_letter' && isBehind) return { kind: 'dead', attemptsMade: row.attemptsMade };
  const waitMs = row.dueInMs ?? 0;
  if (waitMs > (isBehind ? 0 : EARLY_MS)) {
    return { kind: 'later', inMs: waitMs, attemptsMade: row.attemptsMade };
  }
  const content = await contentFor(deps, row);
  if (content === null) {
    if (row.state === 'dead_letter') {
      return { kind: 'dead', attemptsMade: row.attemptsMade, isWithheld: true };
    }
    await cancelDelivery(deps.db, row);
    return { kind: 'done' };
  }
  const taken = { kind: 'later', inMs: leaseMs(deps) / 3, attemptsMade: row.attemptsMade } as const;
  return (await attempt(deps, row, content, permit, due.signal)) ?? taken;
}

/** What an attempt rests on of its delivery. Its ids never change; it begins only where the row still has the rest. */
type Attempted = Pick<
  DeliveryRow,
  '_id' | 'eventId' | 'subscriptionId' | 'partnerId' | 'state' | 'generation' | 'attemptsMade'
>;

/** The delivery of a first attempt as it was created, which it nearly always still is: so nobody has to read it (ADR 0040). */
function asCreated({ deliveryId, eventId, failuresKnown, ...due }: DueAttempt): Attempted | null {
  if (eventId === undefined || failuresKnown > 0) return null;
  const { subscriptionId, partnerId, generation } = due;
  return {
    ...{ _id: deliveryId, eventId, subscriptionId, partnerId, generation },
    ...{ state: 'pending', attemptsMade: 0 },
  };
}

/** What is delivered, and where to, as it was at the instant `readAtMs` (`performance.now()`) or later. */
type Content = { event: EventRow; subscription: FoundSubscription; readAtMs: number };

/**
 * Null where its receiver cannot receive it (any more): meanwhile its subscription may have been deactivated, or its partner been
 * suspended or have lost the grant for the venue.
 */
async function contentFor(deps: DeliverDeps, attempted: Attempted): Promise<Content | null> {
  const readAtMs = performance.now();
  const [event] = await Promise.all([
    findEvent(deps.db, attempted.eventId),
    leasedCacheOf(deps.db).freshen(),
  ]);
  if (event === null) return null;
  const subscription = await receiverOf(deps, attempted, event);
  return subscription && { event, subscription, readAtMs };
}

/** The same of an event that is known already, which does not change. */
async function contentAgain(
  deps: DeliverDeps,
  attempted: Attempted,
  event: EventRow,
): Promise<Content | null> {
  const readAtMs = performance.now();
  await leasedCacheOf(deps.db).freshen();
  const subscription = await receiverOf(deps, attempted, event);
  return subscription && { event, subscription, readAtMs };
}

async function receiverOf(
  deps: DeliverDeps,
  { subscriptionId, partnerId }: Attempted,
  event: EventRow,
): Promise<FoundSubscription | null> {
  const [subscription, canReceive] = await Promise.all([
    subscriptionOf(deps, subscriptionId),
    canReceiveNow(deps, { partnerId, venueId: requiredVenueId(event) }),
  ]);
  if (subscription !== null) await forgetOverlapped(deps, subscription);
  if (subscription?.status === 'inactive') forgetSecrets(deps, subscription);
  // Its own partner alone is told what it has made itself: of a job, that is not taken for granted.
  if (subscription?.status !== 'active' || subscription.partnerId !== partnerId) return null;
  return canReceive ? subscription : null;
}

/**
 * From memory, unless something is to be withheld for what it says: that it is inactive, or that its endpoint fails, of which memory
 * knows too little.
 */
async function subscriptionOf(deps: DeliverDeps, subscriptionId: string): Promise<FoundSubscription | null> {
  const cached = isKnownToFail(deps, subscriptionId)
    ? null
    : await findCachedSubscription(deps.db, subscriptionId);
  if (cached?.status === 'active' && cached.consecutiveFailures === 0) return cached;
  return findSubscription(deps.db, subscriptionId);
}

/** Null where the row has moved on since it was as `row` says, or somebody else makes an attempt. */
async function attempt(
  deps: DeliverDeps,
  row: Attempted,
  content: Content,
  permit: SendPermit,
  signal: AbortSignal,
): Promise<AttemptResult | null> {
  const facts = { event_id: row.eventId, delivery: row._id, partner_id: row.partnerId };
  return inSpan('deliver webhook', traceparentOfEvent(content.event), facts, () =>
    attemptOnce(deps, row, content, permit, signal),
  );
}

async function attemptOnce(
  deps: DeliverDeps,
  row: Attempted,
  content: Content,
  permit: SendPermit,
  signal: AbortSignal,
): Promise<AttemptResult | null> {
  const { event, subscription } = content;
  const unansweredMs = msUntilRotationAnswered(deps, subscription);
  if (unansweredMs > 0) return { kind: 'later', inMs: unansweredMs, attemptsMade: row.attemptsMade };
  if (!permit.beginSend(subscription.consecutiveFailures)) {
    return { kind: 'later', inMs: deferralMs(), attemptsMade: row.attemptsMade };
  }
  const secrets = openSecrets(deps, subscription);
  if (secrets === undefined) {
    return { kind: 'later', inMs: SECRET_RETRY_MS, attemptsMade: row.attemptsMade };
  }
  const attemptId = newId();
  const { endpointUrl } = subscription;
  const isBegun = await beginAttempt(deps.db, row, { id: attemptId, endpointUrl }, leaseMs(deps));
  if (!isBegun) return null;
  const sent = await deps.sender.send(messageOf(deps, row, content, secrets, attemptId, signal));
  const isOutdated = !sent.ok && (await hasChanged(deps, subscription));
  const outcome: AttemptOutcome = isOutdated
    ? { ...sent, error: 'subscription_changed', errorDetail: null }
    : sent;
  return settle(deps, { ...row, eventType: event.type }, event, subscription, attemptId, outcome);
}

/**
 * The message of an attempt, signed now, which may be sent for as long as others may rely on what it rests on: who rotates the secret,
 * changes the address, deactivates, suspends or ends the grant answers once that time is over. After it all is read again, and the
 * message signed again; null where the receiver may not have it any more, or by another secret or address.
 */
function messageOf(
  deps: DeliverDeps,
  row: Attempted,
  content: Content,
  secrets: OpenSecrets,
  attemptId: string,
  signal: AbortSignal,
): WebhookMessage {
  const { event, subscription, readAtMs } = content;
  const renew = async (): Promise<WebhookMessage | null> => {
    const now = await contentAgain(deps, row, event);
    if (now === null || !isAlike(now.subscription, subscription)) return null;
    const opened = openSecrets(deps, now.subscription);
    return opened === undefined ? null : messageOf(deps, row, now, opened, attemptId, signal);
  };
  return {
    ...composeMessage(deps, row, subscription.endpointUrl, secrets, event, attemptId),
    validity: { untilMs: readAtMs + deps.config.cacheLeaseMs, renew },
    signal,
  };
}

/** How long a worker has a row to itself for an attempt. */
const leaseMs = ({ config }: DeliverDeps): number => config.webhookTimeoutMs + LEASE_MARGIN_MS;

type AttemptOutcome = Omit<SendOutcome, 'error'> & { error: AttemptError | null };

/**
 * Whether the address, the secret or the status with which an attempt was made has been changed since it was read: its failure
 * then says nothing of the endpoint as it is now. Asked of failures alone, and of the newest that the primary has, so that a
 * change which was acknowledged before the attempt ended is never missed.
 */
async function hasChanged(deps: DeliverDeps, used: FoundSubscription): Promise<boolean> {
  const now = await findSubscription(deps.db, used._id);
  return now === null || !isAlike(now, used);
}

function isAlike(now: FoundSubscription, used: FoundSubscription): boolean {
  if (now.status !== 'active' || now.endpointUrl !== used.endpointUrl) return false;
  // Not by what is sealed, which is another text for the same secret once it has been sealed under a new key.
  return now.secretRotatedAt?.getTime() === used.secretRotatedAt?.getTime();
}

async function settle(
  deps: DeliverDeps,
  row: Attempted & Pick<DeliveryRow, 'eventType'>,
  event: EventRow,
  subscription: FoundSubscription,
  attemptId: string,
  outcome: AttemptOutcome,
): Promise<AttemptResult> {
  const next = afterAttempt(deps.config, row, outcome.error);
  const { ok, ...response } = outcome;
  const isSettled = await settleAttempt(deps.db, row, attemptId, { ...response, ...next });
  const { state, attemptsMade, nextAttemptInMs } = next;
  logAttempt(deps, row, event, attemptId, outcome, state);
  countAttempt(deps, row, event.at, outcome);
  if (!isSettled) return { kind: 'later', inMs: 1000, attemptsMade };
  if (next.outcome === 'interrupted') return { kind: 'later', inMs: 0, attemptsMade };
  if (ok && row.state === 'dead_letter') await deps.queues.removeDeadLetters([row._id]);
  await recordHealth(deps, subscription, ok);
  if (ok) return { kind: 'done' };
  const cause = causeOf(outcome);
  if (nextAttemptInMs !== null) return { kind: 'retry', inMs: nextAttemptInMs, attemptsMade, cause };
  if (next.isNewDeadLetter) {
    const attempts = [{ ...response, deliveryId: attemptId }];
    await raiseDeadLetter(deps, { ...row, attemptsMade, attempts }, event);
  }
  return { kind: 'dead', attemptsMade, cause };
}

/** One wide line an attempt. */
function logAttempt(
  deps: DeliverDeps,
  row: Attempted & Pick<DeliveryRow, 'eventType'>,
  event: EventRow,
  attemptId: string,
  outcome: AttemptOutcome,
  state: DeliveryRow['state'],
): void {
  deps.log.info(
    {
      ...deliveryFields(row),
      delivery_id: attemptId,
      event_type: row.eventType,
      ...eventFields(event),
      attempt: row.attemptsMade + 1,
      status_code: outcome.statusCode,
      error: outcome.error,
      error_detail: outcome.errorDetail,
      redirect_to: outcome.redirectTo,
      duration_ms: outcome.durationMs,
      state,
    },
    'delivery attempted',
  );
}
