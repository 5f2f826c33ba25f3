import { setTimeout as delay } from 'node:timers/promises';
import { newId } from './ids.ts';
import { takeLease } from './leases.store.ts';
import type { Logger } from './logger.ts';
import type { Db } from './mongo.ts';

export type Sweep = {
  name: string;
  everyMs: number;
  /** Works through what is due until that is done or `stopping` aborts, and answers how much it was. */
  run: (stopping: AbortSignal) => Promise<number>;
};

/** How many items of a sweep are worked on at a time. */
const WIDTH = 10;

/**
 * Does `work` for each item, some at a time, until `stopping` aborts; answers the sum. An item that fails is told to
 * `onError` and does not keep the others waiting.
 */
export async function sweepEach<T>(
  items: readonly T[],
  stopping: AbortSignal,
  work: (item: T) => Promise<number>,
  onError: (err: unknown) => void,
): Promise<number> {
  let count = 0;
  let next = 0;
  const lane = async (): Promise<void> => {
    for (; next < items.length && !stopping.aborted; ) {
      const item = items[next++] as T;
      const done = await work(item).catch((err: unknown) => {
        onError(err);
        return 0;
      });
      count += done;
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, lane));
  return count;
}

/**
 * Repeats `sweep.run` on a plain interval until `stopping` aborts, in one process at a time (a lease in MongoDB, so
 * that it needs no Redis). A failing run is logged and the next one tries again. Resolves when the last run has ended.
 */
export async function keepSweeping(db: Db, sweep: Sweep, log: Logger, stopping: AbortSignal): Promise<void> {
  const holder = newId();
  while (!stopping.aborted) {
    try {
      if (await takeLease(db, `sweep-${sweep.name}`, holder, sweep.everyMs * 2)) {
        const count = await sweep.run(stopping);
        if (count > 0) log.info({ sweep: sweep.name, count }, 'a sweep found work that no job had done');
      }
    } catch (err) {
      log.warn({ sweep: sweep.name, error: (err as Error).message }, 'a sweep failed and will be repeated');
    }
    await delay(sweep.everyMs, undefined, { signal: stopping }).catch(() => undefined);
  }
}
