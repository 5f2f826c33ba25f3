import { setTimeout as delay, setImmediate as endOfTurn } from 'node:timers/promises';
import DataLoader from 'dataloader';
import { withTimeout } from './deadline.ts';
import { memoizeByObject } from './memoize-by-object.ts';
import type { Db } from './mongo.ts';

const PATIENCE_MS = 100;

/**
 * Batches calls (DataLoader): calls made while a batch runs form the next one, in order, at most `maxItems`. After 100
 * ms, for example on a stuck connection, a batch no longer delays the next one. `work` returns a result or an `Error`
 * for each item, in order. If it rejects, every call of the batch rejects. `lingerMs`: how long a batch waits for more
 * calls. By default it waits until the current turn of the event loop ends.
 */
export function batched<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
  maxItems: number,
  lingerMs = 0,
): (item: Item) => Promise<Result> {
  let running: Promise<unknown> = Promise.resolve();
  let nextMayBegin: Promise<unknown> = Promise.resolve();
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
        nextMayBegin = nextMayBegin
          .then(() => (lingerMs === 0 ? endOfTurn() : delay(lingerMs)))
          .then(() => {
            begin();
            return withTimeout(PATIENCE_MS, () => running).catch(() => undefined);
          });
      },
    },
  );
  return (item) => loader.load(item);
}

/** `batched` for each database connection: calls on the same `db` share batches. */
export function batchedByDb<Item, Result>(
  work: (db: Db, items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
  maxItems: number,
  lingerMs = 0,
): (db: Db, item: Item) => Promise<Result> {
  const callsOn = memoizeByObject((db: Db) => batched<Item, Result>((items) => work(db, items), maxItems, lingerMs));
  return (db, item) => callsOn(db)(item);
}
