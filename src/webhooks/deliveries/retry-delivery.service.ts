import { findEvent } from '../../events/events.store.ts';
import { withTimeout } from '../../platform/deadline.ts';
import { newId } from '../../platform/ids.ts';
import { type Destination, deferralMs, type SendPermit } from '../sender/send-permits.ts';
import { msUntilRotationAnswered, openSecrets } from '../subscriptions/secrets.service.ts';
import { findReceiver, lockMs, type SendDeps } from './attempt.service.ts';
import { beginAttempt } from './attempts.store.ts';
import type { DeliveryRow } from './deliveries.model.ts';
import { findDelivery } from './deliveries.store.ts';
import { cancelDelivery } from './delivery-states.store.ts';
import { endpointHost, outcomeText } from './delivery-text.rules.ts';
import { maxAttempts } from './retry-schedule.rules.ts';
import { sendAttempt } from './send-attempt.service.ts';

/** An attempt that a job makes. */
export type DueAttempt = Destination & {
  deliveryId: string;
  /** The series of the job; undefined for the job of a dead letter, because its series has ended. */
  generation: number | undefined;
  /** Whether the job has already ended with a dead letter: then an operator runs it again. */
  isKnownDead: boolean;
  signal: AbortSignal;
};

/**
 * The outcome for the queue; `attempt` says how the attempt ended: `HTTP 503 from partner.example (attempt 3 of 5)`.
 * - `delivered`: accepted by the receiver
 * - `skipped`: nothing to send, for the reason `why`
 * - `retry`: failed, try again after `inMs`
 * - `dead`: failed at the last attempt; recorded in the row and the dead-letter queue
 * - `later`: no attempt was counted, try again after `inMs`
 */
export type AttemptResult =
  | { kind: 'delivered'; status: number | null; ms: number | null; attempt: string }
  | { kind: 'skipped'; why: 'gone' | 'superseded' | 'succeeded' | 'cancelled' | 'discarded' | 'redelivered' }
  | { kind: 'dead'; attempt: string }
  | { kind: 'retry'; inMs: number; attempt: string }
  | { kind: 'later'; inMs: number };

/** The pause if operators must fix something. */
const OPERATOR_FIX_PAUSE_MS = 10_000;
/** The pause if the event is not logged yet. */
const EVENT_PAUSE_MS = 1000;
/** For how long a delivery waits for its event; usually the sweep logs the event within seconds. */
const EVENT_AWAITED_MS = 86_400_000;
/** How much longer than its lock an attempt may take; the sweep repeats an attempt that hangs. */
const HANGS_AFTER_MS = 15_000;
/** States in which there is nothing more to send. */
const ENDED = ['succeeded', 'cancelled', 'discarded'] as const;
/** How early a job may run before its row is due: the queue uses the hosts' clocks. A job that is earlier waits. */
const EARLY_MS = 1000;

/**
 * Makes one attempt of a delivery. The row decides the attempt's number and consequences, and whether it is due by the
 * database's clock: an early job waits, and a duplicate or outdated job sends nothing. A dead letter that is run again
 * (Bull Board's retry) gets one manual attempt; if it fails, nothing changes. If the receiver may not (or no longer)
 * receive the event, the delivery is cancelled (ADR 0011); a dead letter stays a dead letter.
 */
export async function retryDelivery(deps: SendDeps, due: DueAttempt): Promise<AttemptResult> {
  // Acquire the permit before reading: a dead endpoint may have very many jobs.
  const permit = await deps.permits.acquire(due, due.signal);
  if (permit === null) return { kind: 'later', inMs: due.signal.aborted ? 0 : deferralMs() };
  try {
    return await withTimeout(lockMs(deps) + HANGS_AFTER_MS, () => attempt(deps, due, permit));
  } finally {
    permit.release();
  }
}

async function attempt(deps: SendDeps, due: DueAttempt, permit: SendPermit): Promise<AttemptResult> {
  const row = await findDelivery(deps.db, due.deliveryId);
  if (row === null) return { kind: 'skipped', why: 'gone' };
  const { generation } = due;
  if (generation !== undefined && row.generation !== generation) return { kind: 'skipped', why: 'superseded' };
  const ended = ENDED.find((state) => state === row.state);
  if (ended !== undefined) return { kind: 'skipped', why: ended };
  if (generation === undefined && row.state !== 'dead_letter') return { kind: 'skipped', why: 'redelivered' };
  // A worker recorded the delivery's last attempt and died before the job ended.
  if (row.state === 'dead_letter' && !due.isKnownDead) return { kind: 'dead', attempt: lastFailureOf(deps, row) };
  const waitMs = row.dueInMs ?? 0;
  if (waitMs > EARLY_MS) return { kind: 'later', inMs: waitMs };

  const event = await findEvent(deps.db, row.eventId);
  const isAwaited = deps.clock.now().getTime() - row.createdAt.getTime() < EVENT_AWAITED_MS;
  if (event === null && isAwaited) return { kind: 'later', inMs: EVENT_PAUSE_MS };
  const receiver = event && (await findReceiver(deps, row, event));
  if (event === null || receiver === null) {
    if (row.state === 'dead_letter') {
      return { kind: 'dead', attempt: 'nothing was sent, because the partner must not receive the event any more' };
    }
    await cancelDelivery(deps.db, row);
    return { kind: 'skipped', why: 'cancelled' };
  }

  const { subscription } = receiver;
  const rotationWaitMs = msUntilRotationAnswered(deps, subscription);
  if (rotationWaitMs > 0) return { kind: 'later', inMs: rotationWaitMs };
  if (!permit.beginSend(subscription.consecutiveFailures)) return { kind: 'later', inMs: deferralMs() };
  const secrets = openSecrets(deps, subscription);
  if (secrets === undefined) return { kind: 'later', inMs: OPERATOR_FIX_PAUSE_MS };
  const attemptId = newId();
  const newAttempt = { deliveryId: attemptId, endpointUrl: subscription.endpointUrl };
  if (!(await beginAttempt(deps.db, row, newAttempt, lockMs(deps)))) {
    // Probably another worker has locked the row: look three times while its lock lasts.
    return { kind: 'later', inMs: lockMs(deps) / 3 };
  }
  const sending = { ...receiver, row, event, secrets, attemptId, permit, signal: due.signal };
  const { outcome, after } = await sendAttempt(deps, sending);
  if (after === null) return { kind: 'later', inMs: 1000 };
  if (after.outcome === 'interrupted') return { kind: 'later', inMs: 0 };
  const { attemptsMade, nextAttemptInMs } = after;
  const text = attemptText(deps, attemptsMade, outcomeText(outcome, endpointHost(subscription.endpointUrl)));
  if (after.outcome === 'succeeded') {
    return { kind: 'delivered', status: outcome.statusCode, ms: outcome.durationMs, attempt: text };
  }
  if (nextAttemptInMs === null) return { kind: 'dead', attempt: text };
  return { kind: 'retry', inMs: nextAttemptInMs, attempt: text };
}

/** Attempts beyond the schedule were made by an operator. */
function attemptText({ config }: SendDeps, number: number, outcome: string): string {
  const last = maxAttempts(config);
  return number > last ? `${outcome} (manual attempt, ${number} in all)` : `${outcome} (attempt ${number} of ${last})`;
}

function lastFailureOf(deps: SendDeps, { attempts, attemptsMade }: DeliveryRow): string {
  const last = attempts.findLast(({ outcome }) => outcome === 'failed');
  const outcome = last === undefined ? 'failed' : outcomeText(last, endpointHost(last.endpointUrl));
  return attemptText(deps, attemptsMade, outcome);
}
