import { eventBody, requestIdFor, traceparentOfEvent } from '../../events/events.rules.ts';
import { counter, histogram } from '../../platform/process-metrics.ts';
import { inSpan } from '../../platform/tracing.ts';
import type { SendOutcome } from '../sender/collect-response.ts';
import type { WebhookMessage } from '../sender/send-webhook.ts';
import { type SigningKeys, signDelivery, signStandardWebhook } from '../sender/signature.rules.ts';
import { openSecrets } from '../subscriptions/secrets.service.ts';
import { recordHealth } from '../subscriptions/subscription-health.service.ts';
import { findSubscription } from '../subscriptions/subscriptions.store.ts';
import { type AttemptOutcome, type BegunAttempt, findReceiver, isUnchanged, type SendDeps } from './attempt.service.ts';
import { settleAttempt } from './attempts.store.ts';
import { raiseDeadLetter } from './dead-letter-queue.service.ts';
import { findDelivery } from './deliveries.store.ts';
import { deliveryFields, eventFields } from './delivery-text.rules.ts';
import { type AfterAttempt, afterAttempt } from './retry-schedule.rules.ts';

/**
 * Sends the webhook and records the outcome: in the row, in the endpoint's health, and after the last attempt in the
 * dead-letter queue. If the attempt no longer belongs to this worker, nothing is recorded and `after` is null.
 */
export async function sendAttempt(
  deps: SendDeps,
  attempt: BegunAttempt,
): Promise<{ outcome: AttemptOutcome; after: AfterAttempt | null }> {
  const { row, event } = attempt;
  const facts = { event_id: row.eventId, delivery: row._id, partner_id: row.partnerId };
  return inSpan('deliver webhook', traceparentOfEvent(event), facts, async () => {
    const outcome = await send(deps, attempt);
    return { outcome, after: await record(deps, attempt, outcome) };
  });
}

async function send(deps: SendDeps, attempt: BegunAttempt): Promise<AttemptOutcome> {
  let outcome: SendOutcome;
  try {
    outcome = await deps.sender.send(messageOf(deps, attempt));
  } finally {
    attempt.permit.release();
  }
  const { subscription } = attempt;
  // Compare with the newest state: it has every change that was acknowledged before the failure.
  if (outcome.ok || isUnchanged(await findSubscription(deps.db, subscription._id), subscription)) return outcome;
  return { ...outcome, error: 'subscription_changed', errorDetail: null };
}

/**
 * The signed message of an attempt. It may be sent until cached data (secret, endpoint, status, grant) expires; a call
 * that changes such data responds only after that. After it has expired, `renew` reads and signs again, or returns null
 * if the webhook may no longer be sent, or the secret or endpoint has changed.
 */
function messageOf(deps: SendDeps, attempt: BegunAttempt): WebhookMessage {
  const { row, event, subscription, signal } = attempt;
  const renew = async (): Promise<WebhookMessage | null> => {
    const receiver = await findReceiver(deps, row, event);
    if (receiver === null || !isUnchanged(receiver.subscription, subscription)) return null;
    const secrets = openSecrets(deps, receiver.subscription);
    return secrets === undefined ? null : messageOf(deps, { ...attempt, ...receiver, secrets });
  };
  const validity = { untilMs: attempt.readAtMs + deps.config.cacheLeaseMs / 2, renew };
  return { ...signedRequest(deps, attempt), validity, signal };
}

/** The request of an attempt; the signatures are of the exact bytes of `body`. */
function signedRequest({ clock }: SendDeps, { row, event, subscription, attemptId, secrets }: BegunAttempt) {
  const { current, previous } = secrets;
  const body = JSON.stringify({ ...eventBody(event, row.partnerId), delivery_id: attemptId });
  const timestampSeconds = Math.floor(clock.now().getTime() / 1000);
  const requestId = requestIdFor(event, row.partnerId);
  const sign = ({ text }: SigningKeys) => signDelivery({ secretKey: text, timestampSeconds, body });
  const keys = [current, ...(previous === null ? [] : [previous])].map(({ bytes }) => bytes);
  return {
    url: subscription.endpointUrl,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'partner-booking-service/1',
      'X-Webhook-Event': event.type,
      'X-Delivery-Id': attemptId,
      'X-Delivery-Attempt': String(row.attemptsMade + 1),
      'X-Service-Timestamp': String(timestampSeconds),
      'X-Service-Signature': sign(current),
      'webhook-id': event._id,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signStandardWebhook({ keys, eventId: event._id, timestampSeconds, body }),
      ...(requestId === null ? {} : { 'X-Request-Id': requestId }),
      ...(previous === null ? {} : { 'X-Service-Signature-Previous': sign(previous) }),
    },
    body,
  };
}

async function record(deps: SendDeps, attempt: BegunAttempt, outcome: AttemptOutcome): Promise<AfterAttempt | null> {
  const { row, event, subscription, attemptId, sentAt } = attempt;
  const after = afterAttempt(deps.config, row, outcome.error);
  const { ok, ...result } = outcome;
  const isSettled = await settleAttempt(deps.db, {
    _id: row._id,
    generation: row.generation,
    ...result,
    attemptId,
    after,
    ...(sentAt === undefined ? {} : { sentAt }),
  });
  noteAttempt(deps, attempt, outcome, after.state);
  if (!isSettled) return null;
  if (after.outcome === 'interrupted') return after;
  if (ok && row.state === 'dead_letter') await deps.queues.removeDeadLetters([row._id]);
  await recordHealth(deps, subscription, ok);
  if (after.isNewDeadLetter) {
    const dead = await findDelivery(deps.db, row._id);
    if (dead?.state === 'dead_letter') await raiseDeadLetter(deps, dead, event);
  }
  return after;
}

const attempts = counter({
  name: 'webhook_attempts_total',
  help: 'Attempts of deliveries, by number in the series and outcome.',
  labelNames: ['attempt', 'outcome'],
});
const commitToSuccess = histogram({
  name: 'webhook_commit_to_success_seconds',
  help: 'From the commit of an event to the 2xx of its receiver, for deliveries that succeeded at the first attempt.',
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
});

/** Counts an attempt and logs it in one line. `row` is from before the attempt; `state` is the delivery's new state. */
function noteAttempt(
  { db, clock, log }: SendDeps,
  { row, event, attemptId }: BegunAttempt,
  outcome: AttemptOutcome,
  state: AfterAttempt['state'],
): void {
  const attempt = row.attemptsMade + 1;
  attempts(db).inc({ attempt: String(attempt), outcome: outcome.error ?? 'succeeded' });
  if (outcome.error === null && attempt === 1 && row.generation === 1)
    commitToSuccess(db).observe((clock.now().getTime() - event.at.getTime()) / 1000);
  log.info(
    {
      ...deliveryFields(row),
      delivery_id: attemptId,
      event_type: row.eventType,
      ...eventFields(event),
      attempt,
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
