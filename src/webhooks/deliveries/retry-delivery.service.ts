import { findEvent } from '../../events/events.store.ts';
import { withDeadline } from '../../platform/deadline.ts';
import { newId } from '../../platform/ids.ts';
import type { Destination } from '../sender/endpoints-in-use.ts';
import type { SendPermit } from '../sender/send-permits.ts';
import { deferralMs } from '../sender/send-permits.ts';
import { msUntilRotationAnswered, openSecrets } from '../subscriptions/secrets.service.ts';
import type { SendDeps } from './attempt.ts';
import { leaseMs } from './attempt.ts';
import { beginAttempt } from './attempts.store.ts';
import type { DeliveryState } from './deliveries.model.ts';
import { findDelivery } from './deliveries.store.ts';
import { cancelDelivery } from './delivery-series.store.ts';
import { causeOf } from './log-fields.rules.ts';
import { findReceiver } from './receiver.service.ts';
import { sendAttempt } from './send-attempt.service.ts';

/** What the worker is asked to do: one attempt of a series. */
export type DueAttempt = Destination & {
  deliveryId: string;
  generation: number;
  /** The job knew that its delivery is a dead letter: an operator has it run again. */
  isKnownDead: boolean;
  signal: AbortSignal;
};

/**
 * What came of it, for the queue:
 * - `done`: nothing more to do (delivered, cancelled, or of an earlier series)
 * - `retry`: failed, try again after `inMs`
 * - `dead`: failed after the last attempt; the row, the dead-letter queue and the operator know
 * - `later`: nothing was counted, come back after `inMs`
 */
export type AttemptResult =
  | { kind: 'done' }
  | { kind: 'dead'; message: string }
  | { kind: 'retry'; inMs: number; attempt: number; cause: string }
  | { kind: 'later'; inMs: number };

/** How long until what the operators or the database have to mend is tried again. */
const MENDED_AFTER_MS = 10_000;
/** An event is logged right after its deliveries were written. */
const LOGGED_SOON_MS = 1000;
/** Where the process dies in between, the sweep logs it seconds later. */
const LOGGED_WITHIN_MS = 86_400_000;
/** How much longer than its lease an attempt may take in all: what hangs then is tried again by the sweep. */
const HANGS_AFTER_MS = 15_000;
/** There is nothing more to send. */
const ENDED: readonly DeliveryState[] = ['succeeded', 'cancelled', 'discarded'];
/** A job that comes earlier than this before its row is due waits: the hosts' clocks, by which the queue goes, disagree. */
const EARLY_MS = 1000;

/**
 * Makes one attempt of a delivery. The row decides its number, what follows, and when it is due, by the database's clock: a job
 * that comes before that waits, one that comes twice or after the row has moved on sends nothing. A job that is run again for
 * a dead letter (Bull Board's retry) is one manual attempt, of which a failure changes nothing. What waits for a receiver
 * that cannot receive it (any more) is cancelled (ADR 0011); a dead letter stays one.
 */
export async function retryDelivery(deps: SendDeps, due: DueAttempt): Promise<AttemptResult> {
  // Before anything is read: behind a dead endpoint there may be very many of these.
  const permit = await deps.permits.acquire(due, due.signal);
  if (permit === null) return { kind: 'later', inMs: due.signal.aborted ? 0 : deferralMs() };
  try {
    return await withDeadline(leaseMs(deps) + HANGS_AFTER_MS, () => attempt(deps, due, permit));
  } finally {
    permit.release();
  }
}

async function attempt(deps: SendDeps, due: DueAttempt, permit: SendPermit): Promise<AttemptResult> {
  const row = await findDelivery(deps.db, due.deliveryId);
  if (row === null || row.generation !== due.generation) return { kind: 'done' };
  if (ENDED.includes(row.state)) return { kind: 'done' };
  // Its last attempt was recorded by a worker that ended before it could tell the queue.
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
  if (!(await beginAttempt(deps.db, row, begun, leaseMs(deps)))) {
    return { kind: 'later', inMs: leaseMs(deps) / 3 };
  }
  const { signal } = due;
  const { outcome, after } = await sendAttempt(deps, {
    ...receiver,
    row,
    event,
    secrets,
    attemptId,
    permit,
    signal,
  });
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
