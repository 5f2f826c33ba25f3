import { LEASE_MARGIN_MS } from '../config/take-over.rules.ts';
import type { EventRow } from '../events/events.model.ts';
import { traceparentOfEvent } from '../events/events.rules.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Db } from '../platform/mongo.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { inSpan } from '../platform/tracing.ts';
import type { Queues } from '../queues/queues.ts';
import type { SendOutcome } from '../sender/collect-response.ts';
import type { SendPermit, SendPermits } from '../sender/send-permits.ts';
import type { WebhookMessage, WebhookSender } from '../sender/send-webhook.ts';
import type { OpenSecrets } from '../subscriptions/secrets.service.ts';
import { openSecrets } from '../subscriptions/secrets.service.ts';
import { recordHealth } from '../subscriptions/subscription-health.service.ts';
import { countAttempt } from './attempt-metrics.ts';
import { settleAttempt } from './attempts.store.ts';
import { raiseDeadLetter } from './dead-letter-queue.service.ts';
import type { AttemptError, DeliveryRow } from './deliveries.model.ts';
import { deliveryFields, eventFields } from './log-fields.rules.ts';
import type { Receiver } from './receiver.service.ts';
import { findReceiver, hasChanged, isAlike } from './receiver.service.ts';
import type { AfterAttempt, RetryConfig } from './retry-schedule.rules.ts';
import { afterAttempt } from './retry-schedule.rules.ts';
import { composeMessage } from './signed-message.service.ts';

export type SendDeps = {
  db: Db;
  clock: Clock;
  log: Logger;
  secretBox: SecretBox;
  sender: Pick<WebhookSender, 'send'>;
  queues: Pick<Queues, 'addDeadLetters' | 'removeDeadLetters' | 'scheduleDeliveries'>;
  permits: SendPermits;
  config: RetryConfig & { webhookTimeoutMs: number; cacheLeaseMs: number };
};

/** How long a worker has a row to itself for an attempt. */
export const leaseMs = ({ config }: Pick<SendDeps, 'config'>): number =>
  config.webhookTimeoutMs + LEASE_MARGIN_MS;

/** An attempt whose row is this worker's alone. `row` is as it was before it. */
export type BegunAttempt = Receiver & {
  row: Pick<
    DeliveryRow,
    '_id' | 'eventId' | 'eventType' | 'subscriptionId' | 'partnerId' | 'state' | 'generation' | 'attemptsMade'
  >;
  event: EventRow;
  secrets: OpenSecrets;
  attemptId: string;
  /** Released when the response has come: what is recorded after that holds up nobody. */
  permit: Pick<SendPermit, 'release'>;
  /** Aborts when the process cannot wait for the response any longer. */
  signal: AbortSignal;
  /** When it is sent, where the row was written before. */
  sentAt?: Date;
};

export type AttemptOutcome = Omit<SendOutcome, 'error'> & { error: AttemptError | null };

/**
 * Sends the webhook, and records what came of it: in the row, in the endpoint's health, and to the operators where it was the last
 * attempt. `after` is null where the attempt was not this worker's any more, so that nothing was recorded.
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
  const sent = await exchange(deps, attempt);
  const isOutdated = !sent.ok && (await hasChanged(deps, attempt.subscription));
  return isOutdated ? { ...sent, error: 'subscription_changed', errorDetail: null } : sent;
}

async function exchange(deps: SendDeps, attempt: BegunAttempt): Promise<SendOutcome> {
  try {
    return await deps.sender.send(messageOf(deps, attempt));
  } finally {
    attempt.permit.release();
  }
}

/**
 * The message of an attempt, signed now, which may be sent for as long as others may rely on what it rests on: who rotates the secret,
 * changes the address, deactivates, suspends or ends the grant answers once that time is over. After it all is read again, and the
 * message signed again; null where the receiver may not have it any more, or by another secret or address.
 */
function messageOf(deps: SendDeps, attempt: BegunAttempt): WebhookMessage {
  const { row, event, subscription, secrets, attemptId, signal } = attempt;
  const renew = async (): Promise<WebhookMessage | null> => {
    const now = await findReceiver(deps, row, event);
    if (now === null || !isAlike(now.subscription, subscription)) return null;
    const opened = openSecrets(deps, now.subscription);
    return opened === undefined ? null : messageOf(deps, { ...attempt, ...now, secrets: opened });
  };
  return {
    ...composeMessage(deps, row, subscription.endpointUrl, secrets, event, attemptId),
    validity: { untilMs: attempt.readAtMs + deps.config.cacheLeaseMs / 2, renew },
    signal,
  };
}

async function record(
  deps: SendDeps,
  { row, event, subscription, attemptId, sentAt }: BegunAttempt,
  outcome: AttemptOutcome,
): Promise<AfterAttempt | null> {
  const after = afterAttempt(deps.config, row, outcome.error);
  const { ok, ...result } = outcome;
  const series = { _id: row._id, generation: row.generation };
  const isSettled = await settleAttempt(deps.db, {
    ...series,
    ...result,
    attemptId,
    after,
    ...(sentAt === undefined ? {} : { sentAt }),
  });
  logAttempt(deps, { row, event, attemptId }, outcome, after.state);
  countAttempt(deps, row, event.at, outcome);
  if (!isSettled) return null;
  if (after.outcome === 'interrupted') return after;
  if (ok && row.state === 'dead_letter') await deps.queues.removeDeadLetters([row._id]);
  await recordHealth(deps, subscription, ok);
  if (after.isNewDeadLetter) {
    const attempts = [{ ...result, deliveryId: attemptId }];
    await raiseDeadLetter(deps, { ...row, attemptsMade: after.attemptsMade, attempts }, event);
  }
  return after;
}

/** One wide line an attempt. */
function logAttempt(
  deps: SendDeps,
  { row, event, attemptId }: Pick<BegunAttempt, 'row' | 'event' | 'attemptId'>,
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
