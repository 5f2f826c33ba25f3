import { setTimeout as delay } from 'node:timers/promises';
import type { Reply } from '../support/client.ts';

/** How the calls of an experiment went, before each had its answer. */
export type Patience = {
  answered: number;
  /** Refused or broken connections. */
  broken: number;
  /** Answers 503. */
  unavailable: number;
};

export const newPatience = (): Patience => ({ answered: 0, broken: 0, unavailable: 0 });

/** Long enough for a database that elects another primary on a busy machine. */
const GIVE_UP_MS = 90_000;

/**
 * Makes a call as a partner's program should: where the connection broke or the answer is 503, the same call again, with the same
 * idempotency key, until there is an answer that leaves no doubt. A 503 must say when to retry; no other 5xx may come.
 */
export async function insist(call: () => Promise<Reply>, patience: Patience): Promise<Reply> {
  const endsAt = performance.now() + GIVE_UP_MS;
  for (;;) {
    const reply = await call().catch((err: unknown) => {
      if (isUnanswered(err)) return undefined;
      throw err;
    });
    if (reply !== undefined && reply.status < 500) {
      patience.answered += 1;
      return reply;
    }
    if (reply === undefined) patience.broken += 1;
    else if (reply.status === 503 && reply.headers.has('retry-after')) patience.unavailable += 1;
    else throw new Error(`A call was answered ${reply.status}: ${reply.text}`);
    if (performance.now() > endsAt) throw new Error(`A call had no answer within ${GIVE_UP_MS} ms`);
    await delay(100);
  }
}

/** Whether this is the error of a connection; anything else is a fault that the client found in an answer. */
function isUnanswered(err: unknown): boolean {
  return ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(String((err as { code?: unknown }).code));
}
