import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits until `check` answers something other than undefined, null or false, and answers that. Fails with what it waited
 * for, and the last error, when `deadlineMs` have passed.
 */
export async function eventually<T>(
  what: string,
  check: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  deadlineMs = 30_000,
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
    // Seldomer the longer it takes: asking the database all the time takes the processor from what is waited for.
    await delay(pauseMs);
    pauseMs = Math.min(pauseMs * 1.2, 200);
  }
}
