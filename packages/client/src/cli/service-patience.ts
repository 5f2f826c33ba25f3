import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf } from '../certification/transports.ts';
import { PartnerApiError, PartnerConnectionError } from '../errors.ts';
import { spokenWait } from './spoken-time.ts';
import { printable } from './world.ts';

export type ServicePatience = {
  /** Repeats a read until it succeeds; rejects if the service rejects the read. */
  untilAnswered<Result>(call: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
};

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;

/**
 * Calls `note` while the service does not respond, more and more rarely but at least once a minute, and when it
 * responds again.
 */
export function servicePatience(note: (text: string) => void): ServicePatience {
  return {
    untilAnswered: async (call, signal) => {
      const notes = rareNotes();
      for (let failures = 0; ; ) {
        signal.throwIfAborted();
        try {
          const result = await call();
          if (failures > 0) note('The service answers again.');
          return result;
        } catch (failure) {
          signal.throwIfAborted();
          if (!isTransient(failure)) throw failure;
          failures += 1;
          const waitMs = waitAfter(failure, failures);
          const isDue = notes.isDue();
          const isLong = waitMs > LONGEST_WAIT_MS;
          if (isLong || isDue)
            note(`${describeFailure(failure)}; trying again ${isLong ? spokenWait(waitMs) : 'until it does'}.`);
          await delay(waitMs, undefined, { signal });
        }
      }
    },
  };
}

function isTransient(failure: unknown): boolean {
  if (failure instanceof PartnerConnectionError) return true;
  return failure instanceof PartnerApiError && ([408, 429].includes(failure.status) || failure.status >= 500);
}

function waitAfter(failure: unknown, failures: number): number {
  const { retryAfterSeconds = 0 } = failure instanceof PartnerApiError ? failure : {};
  return Math.max(retryAfterSeconds * 1000, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1)));
}

function describeFailure(failure: unknown): string {
  const why = failure instanceof PartnerApiError ? `${failure.status} ${failure.code}` : reasonOf(failure);
  return `The service does not answer (${printable(why)})`;
}

/** One minute minus a read of 15 s and a wait of 5 s. */
const LONGEST_SILENCE_MS = 40_000;

/** Decides which failures of a series are reported. */
export type RareNotes = {
  /** Counts a failure; true for the 1st, 2nd, 4th, 8th and so on, and after a long silence. */
  isDue(): boolean;
  end(): void;
};

/** `readMs`: a monotonic clock. */
export function rareNotes(readMs: () => number = () => performance.now()): RareNotes {
  let failures = 0;
  let lastDueAtMs = 0;
  return {
    isDue: () => {
      failures += 1;
      const isDue = Number.isInteger(Math.log2(failures)) || readMs() - lastDueAtMs >= LONGEST_SILENCE_MS;
      if (isDue) lastDueAtMs = readMs();
      return isDue;
    },
    end: () => {
      failures = 0;
    },
  };
}

/** Waits up to this time get no note. */
const SHORT_WAIT_MS = 2000;

/** The note about a wait; undefined if the wait is short or the service did not respond. */
export function waitNote(waitMs: number, failure: unknown): string | undefined {
  if (waitMs <= SHORT_WAIT_MS || !(failure instanceof PartnerApiError)) return undefined;
  return `The service asks to wait (${failure.status}); trying again ${spokenWait(waitMs)}.`;
}
