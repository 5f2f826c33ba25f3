import { setTimeout as delay } from 'node:timers/promises';
import type { Reply } from '../support/client.ts';

/** Counts of calls that got a final response, and of the failed tries before. */
export type Patience = {
  answered: number;
  /** Refused connections: nothing was sent, so nothing is in doubt. */
  refused: number;
  /** Connections that broke during a call that may have been executed. */
  reset: number;
  /** Responses with 503. */
  unavailable: number;
};

export const newPatience = (): Patience => ({ answered: 0, refused: 0, reset: 0, unavailable: 0 });

/** Long enough for a busy machine to elect another primary. */
const GIVE_UP_MS = 90_000;

/**
 * Calls as a partner's program should: after a broken connection or a 503, repeats the call with the same idempotency
 * key until the response leaves no doubt. A 503 must say when to retry; other 5xx are errors.
 */
export async function insist(call: () => Promise<Reply>, patience: Patience): Promise<Reply> {
  const endsAt = performance.now() + GIVE_UP_MS;
  for (;;) {
    const reply = await call().catch((err: unknown) => brokenBy(err));
    if (typeof reply !== 'string' && reply.status < 500) {
      patience.answered += 1;
      return reply;
    }
    if (typeof reply === 'string') patience[reply] += 1;
    else if (reply.status === 503 && reply.headers.has('retry-after')) patience.unavailable += 1;
    else throw new Error(`A call was answered ${reply.status}: ${reply.text}`);
    if (performance.now() > endsAt) throw new Error(`A call had no answer within ${GIVE_UP_MS} ms`);
    await delay(100);
  }
}

/** How a connection broke. Rethrows other errors: faults that the client found in a response. */
export function brokenBy(err: unknown): 'refused' | 'reset' {
  const { code } = err as { code?: unknown };
  if (code === 'ECONNREFUSED') return 'refused';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'reset';
  throw err;
}

/** Text for the table: `1 refused and 2 broken connections, 3 responses 503`. */
export const troubles = ({ refused, reset, unavailable }: Patience): string =>
  `${refused} refused and ${reset} broken connections, ${unavailable} responses 503`;
