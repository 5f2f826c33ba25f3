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

/** Single-flight for each key. A run does the work passed last. Keys without callers are dropped. */
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

/** Single-flight for each key, one kind of work at a time: meanwhile a call for another kind gets undefined. */
export function singleFlightOfOneKind<T>(): (
  key: string,
  wanted: string,
  work: () => Promise<T>,
) => Promise<T> | undefined {
  const share = singleFlightByKey<T>();
  const underWay = new Map<string, { wanted: string; waiting: number }>();
  return (key, wanted, work) => {
    const entry = underWay.get(key) ?? { wanted, waiting: 0 };
    if (entry.wanted !== wanted) return undefined;
    underWay.set(key, entry);
    entry.waiting += 1;
    return share(key, work).finally(() => {
      entry.waiting -= 1;
      if (entry.waiting === 0) underWay.delete(key);
    });
  };
}
