import { setTimeout as delay } from 'node:timers/promises';
import { newId } from './ids.ts';
import { takeLease } from './leases.store.ts';
import type { Logger } from './logger.ts';
import type { Db } from './mongo.ts';

export type Sweep = {
  name: string;
  everyMs: number;
  /** Works through what is due and answers how much that was. */
  run: () => Promise<number>;
};

/**
 * Repeats `sweep.run` on a plain interval until `stopping` aborts, in one process at a time (a lease in MongoDB, so
 * that it needs no Redis). A failing run is logged and the next one tries again. Resolves when the last run has ended.
 */
export async function keepSweeping(db: Db, sweep: Sweep, log: Logger, stopping: AbortSignal): Promise<void> {
  const holder = newId();
  while (!stopping.aborted) {
    try {
      if (await takeLease(db, `sweep-${sweep.name}`, holder, sweep.everyMs * 2)) {
        const count = await sweep.run();
        if (count > 0) log.info({ sweep: sweep.name, count }, 'a sweep found work that no job had done');
      }
    } catch (err) {
      log.warn({ sweep: sweep.name, error: (err as Error).message }, 'a sweep failed and will be repeated');
    }
    await delay(sweep.everyMs, undefined, { signal: stopping }).catch(() => undefined);
  }
}
