import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import { counter } from '../../platform/process-metrics.ts';
import { addWrongKeys, type Listener } from './counters.store.ts';

const WRITE_EVERY_MS = 1000;

const wrongKeys = counter({
  name: 'http_wrong_keys_total',
  help: 'Unknown, expired or revoked keys received.',
  labelNames: ['listener'],
});

type CounterDeps = { db: Db; log: Logger; stopping: AbortSignal };

/** Counts the wrong keys sent to a listener, for the metrics and, with one write a second at most, for the alert. */
export function createWrongKeyCounter({ db, log, stopping }: CounterDeps, listener: Listener): () => void {
  let count = 0;
  const write = () => {
    if (stopping.aborted) return;
    const increment = count;
    count = 0;
    addWrongKeys(db, listener, increment).catch((err: Error) =>
      log.debug({ listener, error: err.message }, 'wrong keys could not be counted'),
    );
  };
  return () => {
    wrongKeys(db).inc({ listener });
    count += 1;
    if (count === 1) setTimeout(write, WRITE_EVERY_MS).unref();
  };
}
