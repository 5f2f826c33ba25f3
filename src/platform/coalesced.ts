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
 * The same for work that differs by key: callers share runs with those of their own key alone. A key that nobody waits for is
 * forgotten.
 */
export function coalescedByKey<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const entries = new Map<string, { share: () => Promise<T>; waiting: number }>();
  return async (key, work) => {
    const entry = entries.get(key) ?? { share: coalesced(work), waiting: 0 };
    entries.set(key, entry);
    entry.waiting += 1;
    try {
      return await entry.share();
    } finally {
      entry.waiting -= 1;
      if (entry.waiting === 0) entries.delete(key);
    }
  };
}
