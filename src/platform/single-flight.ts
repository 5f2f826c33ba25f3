import { memoizeByObject } from './memoize-by-object.ts';

/** Single-flight with a trailing run: calls made while `work` runs share the next run. */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= running.then(() => {
      const run = work();
      running = run.catch(() => undefined);
      next = undefined;
      return run;
    });
    return next;
  };
}

/**
 * Single-flight for each key, with one kind of work at a time: a call for another kind meanwhile gets undefined. A run
 * does the work of the latest call. Keys without callers are dropped.
 */
export function singleFlightOfOneKind<T>() {
  type Entry = { kind: string; work: () => Promise<T>; share: () => Promise<T>; waiting: number };
  const entries = new Map<string, Entry>();
  const begin = (key: string, kind: string, work: () => Promise<T>): Entry => {
    const entry: Entry = { kind, work, share: singleFlight(() => entry.work()), waiting: 0 };
    entries.set(key, entry);
    return entry;
  };
  return (key: string, kind: string, work: () => Promise<T>): Promise<T> | undefined => {
    const entry = entries.get(key) ?? begin(key, kind, work);
    if (entry.kind !== kind) return undefined;
    entry.work = work;
    entry.waiting += 1;
    return entry.share().finally(() => {
      entry.waiting -= 1;
      if (entry.waiting === 0) entries.delete(key);
    });
  };
}

/** `singleFlightOfOneKind` whose calls are all of one kind. */
export function singleFlightByKey<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const share = singleFlightOfOneKind<T>();
  return (key, work) => share(key, '', work) as Promise<T>;
}

/**
 * Deduplicates concurrent equal calls of idempotent work. A call that arrives while an equal one runs waits for it and
 * returns its result as a replay. If the running call fails, waiting calls share one more run. A call waits for at most
 * two runs. The outcome depends on `owner`, which is the database, and on `call` only.
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
    // Run again after a failure: the cause may be gone.
    const shared = await replay(running).catch(() => undefined);
    if (shared !== undefined) return shared;
    const later = runs.get(key);
    return later === undefined ? begin() : replay(later);
  };
}
