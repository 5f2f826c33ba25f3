import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits until `check` returns something other than undefined, null or false, and returns it. After `deadlineMs`, throws
 * an error with `what` and the last error.
 */
export async function eventually<T>(
  what: string,
  check: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  deadlineMs = 60_000,
): Promise<T> {
  const endsAt = performance.now() + deadlineMs;
  for (let pauseMs = 25; ; ) {
    let failure: unknown;
    try {
      const found = await check();
      if (found !== undefined && found !== null && found !== false) return found;
    } catch (err) {
      failure = err;
    }
    if (performance.now() > endsAt) throw new Error(`Waited ${deadlineMs} ms for: ${what}`, { cause: failure });
    // Poll less often over time: polling takes processor time from the awaited work.
    await delay(pauseMs);
    pauseMs = Math.min(pauseMs * 1.2, 200);
  }
}
