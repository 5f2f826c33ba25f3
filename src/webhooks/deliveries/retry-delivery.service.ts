import { findEvent } from '../../events/events.store.ts';
import { withDeadline } from '../../platform/deadline.ts';
import { newId } from '../../platform/ids.ts';
import { type Destination, deferralMs, type SendPermit } from '../sender/send-permits.ts';
import { msUntilRotationAnswered, openSecrets } from '../subscriptions/secrets.service.ts';
import { lockMs, type SendDeps } from './attempt.ts';
import { beginAttempt } from './attempts.store.ts';
import type { DeliveryState } from './deliveries.model.ts';
import { findDelivery } from './deliveries.store.ts';
import { cancelDelivery } from './delivery-series.store.ts';
import { causeOf } from './log-fields.rules.ts';
import { findReceiver } from './receiver.service.ts';
import { sendAttempt } from './send-attempt.service.ts';

/** One attempt of a series. */
type DueAttempt = Destination & {
  deliveryId: string;
  generation: number;
  /** The job knew that its delivery is a dead letter: an operator runs it again. */
  isKnownDead: boolean;
  signal: AbortSignal;
};

/**
 * The outcome for the queue:
 * - `done`: nothing more to do (delivered, cancelled, or of an earlier series)
 * - `retry`: failed, try again after `inMs`
 * - `dead`: failed at the last attempt; the row, the dead-letter queue and the operators know
 * - `later`: nothing was counted, come back after `inMs`
 */
export type AttemptResult =
  | { kind: 'done' }
  | { kind: 'dead'; message: string }
  | { kind: 'retry'; inMs: number; attempt: number; cause: string }
  | { kind: 'later'; inMs: number };

/** The pause before trying again what operators have to mend. */
const MENDED_AFTER_MS = 10_000;
/** An event is logged right after its deliveries are written. */
const LOGGED_SOON_MS = 1000;
/** If the process dies in between, the sweep logs the event seconds later. */
const LOGGED_WITHIN_MS = 86_400_000;
/** How much longer than its lock an attempt may take in all; the sweep repeats one that hangs. */
const HANGS_AFTER_MS = 15_000;
/** States in which there is nothing more to send. */
const ENDED: readonly DeliveryState[] = ['succeeded', 'cancelled', 'discarded'];
/** A job that comes earlier than this before its row is due waits: the queue goes by the hosts' clocks. */
const EARLY_MS = 1000;

/**
 * Makes one attempt of a delivery. The row decides its number, what follows, and when it is due by the database's
 * clock: an early job waits, and a duplicate or outdated one sends nothing. A dead letter that is run again (Bull
 * Board's retry) gets one manual attempt, whose failure changes nothing. A delivery whose receiver must not have it
 * (any more) is cancelled (ADR 0011); a dead letter stays one.
 */
export async function retryDelivery(deps: SendDeps, due: DueAttempt): Promise<AttemptResult> {
  // Acquire the permit before reading: a dead endpoint may have very many jobs.
  const permit = await deps.permits.acquire(due, due.signal);
  if (permit === null) return { kind: 'later', inMs: due.signal.aborted ? 0 : deferralMs() };
  try {
    return await withDeadline(lockMs(deps) + HANGS_AFTER_MS, () => attempt(deps, due, permit));
  } finally {
    permit.release();
  }
}

async function attempt(deps: SendDeps, due: DueAttempt, permit: SendPermit): Promise<AttemptResult> {
  const row = await findDelivery(deps.db, due.deliveryId);
  if (row === null || row.generation !== due.generation) return { kind: 'done' };
  if (ENDED.includes(row.state)) return { kind: 'done' };
  // Its last attempt was recorded by a worker that died before it could tell the queue.
  if (row.state === 'dead_letter' && !due.isKnownDead) return deadAfter(row.attemptsMade);
  const waitMs = row.dueInMs ?? 0;
  if (waitMs > EARLY_MS) return { kind: 'later', inMs: waitMs };

  const event = await findEvent(deps.db, row.eventId);
  const isAwaited = deps.clock.now().getTime() - row.createdAt.getTime() < LOGGED_WITHIN_MS;
  if (event === null && isAwaited) return { kind: 'later', inMs: LOGGED_SOON_MS };
  const receiver = event && (await findReceiver(deps, row, event));
  if (event === null || receiver === null) {
    if (row.state === 'dead_letter') {
      return { kind: 'dead', message: 'Nothing was sent: its partner cannot receive the event' };
    }
    await cancelDelivery(deps.db, row);
    return { kind: 'done' };
  }

  const { subscription } = receiver;
  const unansweredMs = msUntilRotationAnswered(deps, subscription);
  if (unansweredMs > 0) return { kind: 'later', inMs: unansweredMs };
  if (!permit.beginSend(subscription.consecutiveFailures)) return { kind: 'later', inMs: deferralMs() };
  const secrets = openSecrets(deps, subscription);
  if (secrets === undefined) return { kind: 'later', inMs: MENDED_AFTER_MS };
  const attemptId = newId();
  const begun = { deliveryId: attemptId, endpointUrl: subscription.endpointUrl };
  if (!(await beginAttempt(deps.db, row, begun, lockMs(deps)))) {
    return { kind: 'later', inMs: lockMs(deps) / 3 };
  }
  const { signal } = due;
  const sending = { ...receiver, row, event, secrets, attemptId, permit, signal };
  const { outcome, after } = await sendAttempt(deps, sending);
  if (after === null) return { kind: 'later', inMs: 1000 };
  if (after.outcome === 'interrupted') return { kind: 'later', inMs: 0 };
  if (after.outcome === 'succeeded') return { kind: 'done' };
  const { attemptsMade, nextAttemptInMs } = after;
  const cause = causeOf(outcome);
  if (nextAttemptInMs === null) return deadAfter(attemptsMade, cause);
  return { kind: 'retry', inMs: nextAttemptInMs, attempt: attemptsMade, cause };
}

const deadAfter = (attemptsMade: number, cause = 'not known'): AttemptResult => ({
  kind: 'dead',
  message: `Dead letter after ${attemptsMade} attempts; the last: ${cause}`,
});
