/** What the demo holds the service to; a failure says what was expected and what was received. */

import { setTimeout as wait } from 'node:timers/promises';

const pollMs = 50;
const waitDeadlineMs = 10_000;

/** Something is not as the contract says. */
export class UnexpectedError extends Error {
  override readonly name = 'UnexpectedError';

  constructor(what: string, expected: string, received: string) {
    super(`${what}\nexpected: ${expected}\nreceived: ${received}`);
  }
}

/** @throws UnexpectedError unless both are the same value, or alike as JSON */
export function requireEqual(what: string, received: unknown, expected: unknown): void {
  const [left, right] = [received, expected].map((value) => JSON.stringify(value) ?? 'nothing');
  if (left !== right) throw new UnexpectedError(what, String(right), String(left));
}

/** @throws UnexpectedError unless `condition` */
export function requireThat(condition: boolean, what: string, expected: string, received: string): void {
  if (!condition) throw new UnexpectedError(what, expected, received);
}

/**
 * Waits until `find` finds something, and returns it.
 *
 * @throws UnexpectedError after 10 s, with what `received` returns then
 */
export async function until<T>(
  what: string,
  find: () => Promise<T | undefined> | T | undefined,
  received: () => Promise<string> | string,
  deadlineMs = waitDeadlineMs,
): Promise<T> {
  const endsAt = performance.now() + deadlineMs;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (performance.now() > endsAt)
      throw new UnexpectedError(what, `within ${deadlineMs / 1000} s`, await received());
    await wait(pollMs);
  }
}
