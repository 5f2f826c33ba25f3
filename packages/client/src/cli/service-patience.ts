import { setTimeout as delay } from 'node:timers/promises';
import { PartnerApiError, PartnerConnectionError } from '../errors.ts';
import { reasonOf } from './command-error.ts';
import { spokenWait } from './spoken-time.ts';
import { rareNotes } from './waiting.ts';
import { printable } from './world.ts';

/** Makes calls that wait for the service to come back. */
export type ServicePatience = {
  /** Repeats a call that changes nothing until the service answers it; rejects where it refuses it. */
  untilAnswered<Result>(call: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
};

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;

/** `note` is told when the service is away, ever more rarely but once a minute, and when it is back. */
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
          if (!isPassing(failure)) throw failure;
          failures += 1;
          const waitMs = waitAfter(failure, failures);
          const isDue = notes.isDue();
          const isLong = waitMs > LONGEST_WAIT_MS;
          if (isLong || isDue)
            note(`${told(failure)}; trying again ${isLong ? spokenWait(waitMs) : 'until it does'}.`);
          await delay(waitMs, undefined, { signal });
        }
      }
    },
  };
}

function isPassing(failure: unknown): boolean {
  if (failure instanceof PartnerConnectionError) return true;
  return failure instanceof PartnerApiError && ([408, 429].includes(failure.status) || failure.status >= 500);
}

function waitAfter(failure: unknown, failures: number): number {
  const { retryAfterSeconds = 0 } = failure instanceof PartnerApiError ? failure : {};
  return Math.max(retryAfterSeconds * 1000, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1)));
}

function told(failure: unknown): string {
  const why = failure instanceof PartnerApiError ? `${failure.status} ${failure.code}` : reasonOf(failure);
  return `The service does not answer (${printable(why)})`;
}
