import { setTimeout as delay } from 'node:timers/promises';
import { PartnerApiError, PartnerConnectionError } from '../errors.ts';
import { reasonOf } from './command-error.ts';

/** Makes calls that wait for the service to come back. */
export type ServicePatience = {
  /** Repeats a call that changes nothing until the service answers it; rejects where it refuses it. */
  untilAnswered<Result>(call: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
};

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;

/** `note` is told when the service is away, ever more rarely, and when it is back. */
export function servicePatience(note: (text: string) => void): ServicePatience {
  return {
    untilAnswered: async (call, signal) => {
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
          if (isTold(failures)) note(`${told(failure)}; trying again until it does.`);
          await delay(waitMs, undefined, { signal });
        }
      }
    },
  };
}

/** Of a long row of failures the 1st, 2nd, 4th, 8th and so on are told. */
export const isTold = (failures: number): boolean => Number.isInteger(Math.log2(failures));

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
  return `The service does not answer (${why})`;
}
