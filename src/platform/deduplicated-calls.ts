import { memoizeByObject } from './memoize-by-object.ts';

/**
 * Deduplicates concurrent equal calls of idempotent work. A call that arrives while an equal one is running waits for it. If that
 * one succeeds, the waiting calls return its result as a replay. If it fails, they share one new run, including its error.
 * A call waits for two runs at most. `call` holds everything the outcome depends on, apart from `owner`, the database.
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

    const underWay = runs.get(key);
    if (underWay === undefined) return begin();
    // What it fails of may have passed before this call came.
    const shared = await replay(underWay).catch(() => undefined);
    if (shared !== undefined) return shared;
    const later = runs.get(key);
    return later === undefined ? begin() : replay(later);
  };
}
