import { setTimeout as delay } from 'node:timers/promises';

export type UnderWay = ReturnType<typeof createUnderWay>;

/** Longer than a slow response and than an attempt of the client. */
const SETTLED_WITHIN_MS = 16_000;

export function createUnderWay() {
  const running = new Set<Promise<unknown>>();
  const isEmpty = async () => {
    while (running.size > 0) await Promise.allSettled(running);
  };
  return {
    add: <Result>(work: Promise<Result>): Promise<Result> => {
      const forget = () => running.delete(work);
      running.add(work);
      work.then(forget, forget);
      return work;
    },
    /** Resolves when nothing is running, or after SETTLED_WITHIN_MS. */
    settled: async (): Promise<void> => {
      const bound = new AbortController();
      const late = delay(SETTLED_WITHIN_MS, undefined, { signal: bound.signal }).catch(() => undefined);
      await Promise.race([isEmpty(), late]);
      bound.abort();
    },
  };
}
