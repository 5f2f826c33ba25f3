import { setTimeout as delay } from 'node:timers/promises';

export type RunningWork = ReturnType<typeof createRunningWork>;

/** Longer than a slow response, and than an attempt of the client. */
const SETTLE_TIMEOUT_MS = 16_000;

export function createRunningWork() {
  const running = new Set<Promise<unknown>>();
  const untilEmpty = async () => {
    while (running.size > 0) await Promise.allSettled(running);
  };
  return {
    add: <Result>(work: Promise<Result>): Promise<Result> => {
      const forget = () => running.delete(work);
      running.add(work);
      work.then(forget, forget);
      return work;
    },
    /** Resolves when all work has ended, or after SETTLE_TIMEOUT_MS. */
    settled: async (): Promise<void> => {
      const timer = new AbortController();
      const timeout = delay(SETTLE_TIMEOUT_MS, undefined, { signal: timer.signal }).catch(() => undefined);
      await Promise.race([untilEmpty(), timeout]);
      timer.abort();
    },
  };
}
