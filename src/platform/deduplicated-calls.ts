import { memoizeByObject } from './memoize-by-object.ts';

/**
 * Deduplicates concurrent equal calls of idempotent work. A call that arrives while an equal one runs waits for it and
 * returns its result as a replay. If the running call fails, waiting calls share one more run. A call waits for at most
 * two runs. `call` has everything on which the outcome depends, apart from the database (`owner`).
 */
export function deduplicatedCalls<T extends { isReplay: boolean }>(): (
  owner: object,
  call: readonly unknown[],
  work: () => Promise<T>,
) => Promise<T> {
  const runsOf = memoizeByObject(() => new Map<string, Promise<T>>());
  return async (owner, call, work) => {
    const runs = runsOf(owner);
    const key = JSON.stringify(call);
    const begin = (): Promise<T> => {
      const run = work().finally(() => runs.delete(key));
      runs.set(key, run);
      return run;
    };
    const replay = async (run: Promise<T>): Promise<T> => ({ ...(await run), isReplay: true });

    const running = runs.get(key);
    if (running === undefined) return begin();
    // After a failure run again: its cause may be gone.
    const shared = await replay(running).catch(() => undefined);
    if (shared !== undefined) return shared;
    const later = runs.get(key);
    return later === undefined ? begin() : replay(later);
  };
}
