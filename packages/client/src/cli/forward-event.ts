import { setTimeout as delay } from 'node:timers/promises';
import type { Endpoint, FeedEvent, Outcome } from './send-delivery.ts';
import { sendDelivery } from './send-delivery.ts';

/** The earlier attempts at an event. */
export type Progress = {
  attempts: number;
  /** False if no attempt reached the endpoint. */
  mayHaveArrived: boolean;
};

export type ForwardAttempt = {
  event: FeedEvent;
  attempt: number;
  /** Whether the event may have arrived before. */
  isRepeated: boolean;
};

export type ForwardReport = {
  /** Called before sending an event that may have arrived before. */
  repeating(current: ForwardAttempt): void;
  accepted(current: ForwardAttempt, outcome: Outcome): void;
  /** `waitMs` until the next attempt; undefined if there is none. */
  failed(current: ForwardAttempt, outcome: Outcome, waitMs: number | undefined): void;
};

export type Forwarding = {
  endpoint: Endpoint;
  /** Infinity: never give up. */
  maxAttempts: number;
  signal: AbortSignal;
  report: ForwardReport;
};

export const NO_PROGRESS: Progress = { attempts: 0, mayHaveArrived: false };

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;

/**
 * Sends an event until the endpoint accepts it (true), or `maxAttempts` attempts have failed (false). Awaits `save`
 * before each attempt and after each failure: the saved state covers every attempt that may have arrived.
 */
export async function forwardEvent(
  event: FeedEvent,
  { endpoint, maxAttempts, signal, report }: Forwarding,
  { attempts: earlierAttempts, mayHaveArrived: mayHaveArrivedEarlier }: Progress,
  save: (progress: Progress) => Promise<void>,
): Promise<boolean> {
  let mayHaveArrived = mayHaveArrivedEarlier;
  for (let attempts = 1; ; attempts += 1) {
    signal.throwIfAborted();
    const current = { event, attempt: earlierAttempts + attempts, isRepeated: mayHaveArrived };
    await save({ attempts: current.attempt, mayHaveArrived: true });
    if (current.isRepeated) report.repeating(current);
    const outcome = await sendDelivery(event, current.attempt, endpoint, signal);
    if (outcome.isAccepted) {
      report.accepted(current, outcome);
      return true;
    }
    mayHaveArrived ||= outcome.mayHaveArrived;
    await save({ attempts: current.attempt, mayHaveArrived });
    const isLast = attempts >= maxAttempts;
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1));
    report.failed(current, outcome, isLast ? undefined : waitMs);
    if (isLast) return false;
    await delay(waitMs, undefined, { signal });
  }
}
