import { setTimeout as wait } from 'node:timers/promises';

const pollMs = 50;

/** Waits until `find` finds something, and returns it. @throws Error after `withinMs`, by default 10 s */
export async function until<T>(
  what: string,
  find: () => Promise<T | false | undefined> | T | false | undefined,
  withinMs = 10_000,
): Promise<T> {
  for (const endsAt = performance.now() + withinMs; performance.now() < endsAt; await wait(pollMs)) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
  }
  throw new Error(`${what}: not within ${withinMs / 1000} s`);
}
