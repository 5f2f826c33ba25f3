import type { AttemptError, DeliveryRow, DeliveryState } from './deliveries.model.ts';

/** `WEBHOOK_RETRY_DELAYS_SECONDS`: the delays between failed attempts; `settings.ts` has the default. */
export type RetryConfig = { webhookRetryDelaysSeconds: readonly number[] };

/** The attempts of a series: one more than there are delays. */
export function maxAttempts({ webhookRetryDelaysSeconds }: RetryConfig): number {
  return webhookRetryDelaysSeconds.length + 1;
}

/** The attempts that a series has left; one for a dead letter, which an operator may run again. */
export function attemptsLeft(config: RetryConfig, attemptsMade: number): number {
  return Math.max(1, maxAttempts(config) - attemptsMade);
}

export function isWaiting(state: DeliveryState): boolean {
  return state === 'pending' || state === 'retrying';
}

export type AfterAttempt = {
  outcome: 'succeeded' | 'failed' | 'interrupted';
  state: DeliveryState;
  /** Counted attempts of the series. */
  attemptsMade: number;
  nextAttemptInMs: number | null;
  /** This attempt ended in a dead letter. */
  isNewDeadLetter: boolean;
};

/**
 * The next state of a delivery, by the result of an attempt:
 *
 * | result | state | next attempt |
 * |---|---|---|
 * | success | `succeeded` | none |
 * | interrupted, or its subscription changed | as before; the attempt is not counted | now, if the delivery waits |
 * | failure with a delay left | `retrying` | after that delay |
 * | failure of the last attempt | `dead_letter` | none |
 * | failure of a dead letter, run again by hand | `dead_letter` | none |
 */
export function afterAttempt(
  { webhookRetryDelaysSeconds: delaysSeconds }: RetryConfig,
  before: Pick<DeliveryRow, 'state' | 'attemptsMade'>,
  error: AttemptError | null,
): AfterAttempt {
  if (error === 'interrupted' || error === 'subscription_changed') {
    const { state, attemptsMade } = before;
    const nextAttemptInMs = isWaiting(state) ? 0 : null;
    return { outcome: 'interrupted', state, attemptsMade, nextAttemptInMs, isNewDeadLetter: false };
  }
  const attemptsMade = before.attemptsMade + 1;
  const ended = { attemptsMade, nextAttemptInMs: null };
  if (error === null) return { ...ended, outcome: 'succeeded', state: 'succeeded', isNewDeadLetter: false };
  const wasDead = before.state === 'dead_letter';
  const delaySeconds = delaysSeconds[attemptsMade - 1];
  if (wasDead || delaySeconds === undefined) {
    return { ...ended, outcome: 'failed', state: 'dead_letter', isNewDeadLetter: !wasDead };
  }
  const nextAttemptInMs = Math.round(delaySeconds * 1000);
  return { outcome: 'failed', state: 'retrying', attemptsMade, nextAttemptInMs, isNewDeadLetter: false };
}
