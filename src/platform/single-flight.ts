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

/** Single-flight for each key. A run does the work of the latest call. Keys without callers are dropped. */
export function singleFlightByKey<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  type Entry = { work: () => Promise<T>; share: () => Promise<T>; waiting: number };
  const entries = new Map<string, Entry>();
  const begin = (work: () => Promise<T>): Entry => {
    const entry: Entry = { work, share: singleFlight(() => entry.work()), waiting: 0 };
    return entry;
  };
  return async (key, work) => {
    const entry = entries.get(key) ?? begin(work);
    entries.set(key, entry);
    entry.work = work;
    entry.waiting += 1;
    try {
      return await entry.share();
    } finally {
      entry.waiting -= 1;
      if (entry.waiting === 0) entries.delete(key);
    }
  };
}

/** Single-flight for each key, with one kind of work at a time: a call for another kind meanwhile gets undefined. */
export function singleFlightOfOneKind<T>(): (
  key: string,
  kind: string,
  work: () => Promise<T>,
) => Promise<T> | undefined {
  const share = singleFlightByKey<T>();
  const inProgress = new Map<string, { kind: string; waiting: number }>();
  return (key, kind, work) => {
    const entry = inProgress.get(key) ?? { kind, waiting: 0 };
    if (entry.kind !== kind) return undefined;
    inProgress.set(key, entry);
    entry.waiting += 1;
    return share(key, work).finally(() => {
      entry.waiting -= 1;
      if (entry.waiting === 0) inProgress.delete(key);
    });
  };
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
