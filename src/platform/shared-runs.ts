import { onePer } from './coalesced.ts';

/**
 * Lets equal calls share one run of work that is idempotent. A call that finds an equal one under way waits for it: where that
 * succeeds, its result is a replay for all who waited; where it fails, they share one run that begins after it, failure included.
 * So each gets either what a replay returns or the outcome of a run that began after its call, and waits for two runs at most.
 * `call` is all that the outcome depends on beside `owner`, which is the database.
 */
export function sharedRuns<T extends { isReplay: boolean }>(): (
  owner: object,
  call: readonly unknown[],
  work: () => Promise<T>,
) => Promise<T> {
  const runsOf = onePer(() => new Map<string, Promise<T>>());
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
