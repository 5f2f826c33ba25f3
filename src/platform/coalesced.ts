/**
 * Makes `work` one that callers share: of those who call while it runs, all are served by the one run that begins after it.
 * Each call resolves when a run that began after the call has ended.
 */
export function coalesced<T>(work: () => Promise<T>): () => Promise<T> {
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
 * The same for work that differs by key: callers share runs with those of their own key alone, and a run does the work that was
 * given last. A key that nobody waits for is forgotten.
 */
export function coalescedByKey<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  type Entry = { work: () => Promise<T>; share: () => Promise<T>; waiting: number };
  const entries = new Map<string, Entry>();
  const begin = (work: () => Promise<T>): Entry => {
    const entry: Entry = { work, share: coalesced(() => entry.work()), waiting: 0 };
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

/**
 * The same for work of which a key has one kind at a time: callers who want what those before them want share runs with them, and
 * for whoever wants something else meanwhile it returns undefined at once.
 */
export function coalescedAlike<T>(): (
  key: string,
  wanted: string,
  work: () => Promise<T>,
) => Promise<T> | undefined {
  const share = coalescedByKey<T>();
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

/** One of what `make` makes for each owner, such as a database; it goes with its owner. */
export function onePer<T, Owner extends object = object>(make: (owner: Owner) => T): (owner: Owner) => T {
  const made = new WeakMap<Owner, T>();
  return (owner) => {
    const one = made.get(owner) ?? make(owner);
    made.set(owner, one);
    return one;
  };
}
