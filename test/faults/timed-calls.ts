import { setTimeout as delay } from 'node:timers/promises';
import type { Reply } from '../support/client.ts';
import { verdict } from '../support/verdict.ts';

/** Callers wait this long. A call without a response by then has the outcome `no response`. */
const GIVE_UP_MS = 20_000;

export type TimedCall = {
  beganAtMs: number;
  /**
   * Status and error code, or the fault of the response, such as a 503 without `Retry-After`. Undefined: in progress.
   */
  outcome?: string;
  tookMs: number;
};

/** Makes a call; `done` resolves once it has an outcome, and never rejects. */
export function timeCall(send: () => Promise<Reply>): TimedCall & { done: Promise<TimedCall> } {
  const beganAtMs = performance.now();
  const answered = send().then(outcomeOfReply, (err: unknown) => `no response: ${String(err)}`);
  const never = delay(GIVE_UP_MS, 'no response', { ref: false });
  const call: TimedCall & { done: Promise<TimedCall> } = {
    beganAtMs,
    tookMs: 0,
    done: Promise.race([answered, never]).then((outcome) => {
      call.tookMs = performance.now() - beganAtMs;
      call.outcome = outcome;
      return call;
    }),
  };
  return call;
}

function outcomeOfReply(reply: Reply): string {
  const lacksRetryAfter = reply.status === 503 && !/^[1-9]\d*$/.test(reply.headers.get('retry-after') ?? '');
  return lacksRetryAfter ? '503 without Retry-After' : verdict(reply);
}
