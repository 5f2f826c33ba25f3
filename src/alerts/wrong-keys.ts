import type { Logger } from '../platform/logger.ts';
import type { Db } from '../platform/mongo.ts';
import type { Listener } from './counters.store.ts';
import { addWrongKeys } from './counters.store.ts';

const WRITE_EVERY_MS = 1000;

type CounterDeps = { db: Db; log: Logger; metrics: { countWrongKey: (listener: Listener) => void } };

/**
 * Counts the wrong keys that a listener is sent, for the metrics and for the alert of a burst: one write a second at most, beside
 * the calls. What was counted since the last write is lost with the process, and with a write that fails.
 */
export function createWrongKeyCounter({ db, log, metrics }: CounterDeps, listener: Listener): () => void {
  let count = 0;
  const write = () => {
    const written = count;
    count = 0;
    addWrongKeys(db, listener, written).catch((err: Error) =>
      log.debug({ listener, error: err.message }, 'wrong keys could not be counted'),
    );
  };
  return () => {
    metrics.countWrongKey(listener);
    count += 1;
    if (count === 1) setTimeout(write, WRITE_EVERY_MS).unref();
  };
}
