import { setTimeout as delay } from 'node:timers/promises';
import type { Endpoint, FeedEvent, Outcome } from './send-delivery.ts';
import { sendDelivery } from './send-delivery.ts';

/** The earlier attempts of an event. */
export type Progress = {
  attempts: number;
  /** False if no attempt reached the endpoint. */
  mayHaveArrived: boolean;
};

export type Told = {
  event: FeedEvent;
  attempt: number;
  /** Whether the event may have arrived before. */
  isRepeated: boolean;
};

export type ForwardReport = {
  /** Called before sending an event that may have arrived before. */
  repeating(told: Told): void;
  accepted(told: Told, outcome: Outcome): void;
  /** `waitMs` until the next attempt; undefined if there is none. */
  failed(told: Told, outcome: Outcome, waitMs: number | undefined): void;
};

export type Forwarding = {
  endpoint: Endpoint;
  /** Infinity: never give an event up. */
  maxAttempts: number;
  signal: AbortSignal;
  report: ForwardReport;
};

export const NEW: Progress = { attempts: 0, mayHaveArrived: false };

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;

/**
 * Sends an event until the endpoint accepts it (true), or `maxAttempts` attempts have failed (false). Awaits `save`
 * before each attempt and after each failure: the saved state never says less than the endpoint may have seen.
 */
export async function forwardEvent(
  event: FeedEvent,
  { endpoint, maxAttempts, signal, report }: Forwarding,
  { attempts: earlier, mayHaveArrived: arrivedEarlier }: Progress,
  save: (progress: Progress) => Promise<void>,
): Promise<boolean> {
  let mayHaveArrived = arrivedEarlier;
  for (let tried = 1; ; tried += 1) {
    signal.throwIfAborted();
    const told = { event, attempt: earlier + tried, isRepeated: mayHaveArrived };
    await save({ attempts: told.attempt, mayHaveArrived: true });
    if (told.isRepeated) report.repeating(told);
    const outcome = await sendDelivery(event, told.attempt, endpoint, signal);
    if (outcome.isAccepted) {
      report.accepted(told, outcome);
      return true;
    }
    mayHaveArrived ||= outcome.mayHaveArrived;
    await save({ attempts: told.attempt, mayHaveArrived });
    const isLast = tried >= maxAttempts;
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tried - 1));
    report.failed(told, outcome, isLast ? undefined : waitMs);
    if (isLast) return false;
    await delay(waitMs, undefined, { signal });
  }
}
