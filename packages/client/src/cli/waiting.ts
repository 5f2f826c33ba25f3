import { PartnerApiError } from '../errors.ts';
import { spokenWait } from './spoken-time.ts';

/** With an attempt of 10 s and a wait of 5 s, nobody is left without a word for more than a minute. */
const LONGEST_SILENCE_MS = 45_000;

/** Which of a row of failures are told. */
export type RareNotes = {
  /** Counts a failure: the 1st, 2nd, 4th, 8th and so on are told, and any after a long silence. */
  isDue(): boolean;
  /** The row is over. */
  end(): void;
};

/** `readMs` is a clock that is never set back. */
export function rareNotes(readMs: () => number = () => performance.now()): RareNotes {
  let failures = 0;
  let toldAtMs = 0;
  return {
    isDue: () => {
      failures += 1;
      const isTold = Number.isInteger(Math.log2(failures)) || readMs() - toldAtMs >= LONGEST_SILENCE_MS;
      if (isTold) toldAtMs = readMs();
      return isTold;
    },
    end: () => {
      failures = 0;
    },
  };
}

/** Waits that nobody takes for a command that hangs. */
const SHORT_WAIT_MS = 2000;

/** What is said of a wait before a call is repeated; undefined where it is short. */
export function waitNote(waitMs: number, failure: unknown): string | undefined {
  if (waitMs <= SHORT_WAIT_MS || !(failure instanceof PartnerApiError)) return undefined;
  return `The service asks to wait (${failure.status}); trying again ${spokenWait(waitMs)}.`;
}
