import { traceparentOfEvent } from '../../events/events.rules.ts';
import { inSpan } from '../../platform/tracing.ts';
import type { SendOutcome } from '../sender/collect-response.ts';
import { recordHealth } from '../subscriptions/subscription-health.service.ts';
import type { AttemptOutcome, BegunAttempt, SendDeps } from './attempt.ts';
import { noteAttempt } from './attempt-reports.ts';
import { settleAttempt } from './attempts.store.ts';
import { raiseDeadLetter } from './dead-letter-queue.service.ts';
import { hasChanged } from './receiver.service.ts';
import type { AfterAttempt } from './retry-schedule.rules.ts';
import { afterAttempt } from './retry-schedule.rules.ts';
import { messageOf } from './signed-message.service.ts';

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
  noteAttempt(deps, { row, event, attemptId }, outcome, after.state);
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
