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
