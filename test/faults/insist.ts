import { setTimeout as delay } from 'node:timers/promises';
import type { Reply } from '../support/client.ts';

/** How the calls of an experiment went, before each had its response. */
export type Patience = {
  answered: number;
  /** Connections that were refused: nothing was sent, so nothing is in doubt. */
  refused: number;
  /** Connections that broke under a call that may have been carried out. */
  reset: number;
  /** Answers 503. */
  unavailable: number;
};

export const newPatience = (): Patience => ({ answered: 0, refused: 0, reset: 0, unavailable: 0 });

/** Long enough for a database that elects another primary on a busy machine. */
const GIVE_UP_MS = 90_000;

/**
 * Makes a call as a partner's program should: where the connection broke or the response is 503, the same call again, with the same
 * idempotency key, until there is a response that leaves no doubt. A 503 must say when to retry; no other 5xx may come.
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

/** How a connection broke; anything else is a fault that the client found in a response, and is thrown on. */
export function brokenBy(err: unknown): 'refused' | 'reset' {
  const { code } = err as { code?: unknown };
  if (code === 'ECONNREFUSED') return 'refused';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'reset';
  throw err;
}

/** `1 refused and 2 broken connections, 3 returns 503`, for the table. */
export const troubles = ({ refused, reset, unavailable }: Patience): string =>
  `${refused} refused and ${reset} broken connections, ${unavailable} answers 503`;
