import { setTimeout as delay, setImmediate as endOfTurn } from 'node:timers/promises';
import DataLoader from 'dataloader';

const PATIENCE_MS = 100;

/**
 * Makes work on one item work on many that callers share: what is asked for while a batch is under way leaves together as the
 * next one, `maxItems` at most and in the order of the calls; who calls alone waits for nobody, only for the end of the event loop's
 * turn, so that what came in with it leaves with it. A batch that takes longer than 100 ms, on a connection that is stuck for one, does
 * not keep the next waiting. `work` returns for each item, in their order, its result or the `Error` that its call alone rejects with;
 * where `work` rejects, all calls of the batch do. `lingerMs`: how long a batch waits for more, where nobody waits for its result.
 */
export function gathered<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
  maxItems: number,
  lingerMs = 0,
): (item: Item) => Promise<Result> {
  let running: Promise<unknown> = Promise.resolve();
  let idle: Promise<unknown> = Promise.resolve();
  const loader = new DataLoader<Item, Result>(
    (items) => {
      const batch = work(items);
      running = batch.catch(() => undefined);
      return batch;
    },
    {
      cache: false,
      maxBatchSize: maxItems,
      batchScheduleFn: (begin) => {
        idle = idle
          .then(() => (lingerMs === 0 ? endOfTurn() : delay(lingerMs)))
          .then(() => {
            begin();
            return endOrPatience(running);
          });
      },
    },
  );
  return (item) => loader.load(item);
}

/** Resolves when the batch has ended, and after 100 ms anyway. */
function endOrPatience(batch: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE_MS);
    void batch.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
