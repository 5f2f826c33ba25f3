import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { droppedLines } from './logger.ts';
import { memoizeByObject } from './memoize-by-object.ts';
import type { Db } from './mongo.ts';

type Definition<Label extends string> = {
  /** Follows the conventions of Prometheus: base units, counters end in `_total`. */
  name: string;
  help: string;
  /** Labels have few values, known beforehand: no ids, no partners. */
  labelNames?: Label[];
};

/** Buckets for histograms of batch sizes. */
export const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200];

/**
 * Sampling interval of event-loop lag; measured lag includes it. prom-client's 10 ms cost an idle process 0.5 % of a
 * core.
 */
const EVENT_LOOP_SAMPLE_MS = 50;

const definitions: ((registry: Registry) => void)[] = [];

/** A process's metrics. Each database connection has its own, because tests run several services in one process. */
export const processMetrics = memoizeByObject((_db: Db): Registry => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
  for (const define of definitions) define(registry);
  new Counter({
    name: 'log_lines_dropped_total',
    help: 'Log lines dropped because they could not be written.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedLines());
    },
  });
  return registry;
});

/** Defines a counter; call it while a module loads. */
export function counter<Label extends string = never>(definition: Definition<Label>): (db: Db) => Counter<Label> {
  return defined((registry) => new Counter({ ...definition, registers: [registry] }));
}

export function gauge<Label extends string = never>(definition: Definition<Label>): (db: Db) => Gauge<Label> {
  return defined((registry) => new Gauge({ ...definition, registers: [registry] }));
}

export function histogram<Label extends string = never>(
  definition: Definition<Label> & { buckets: number[] },
): (db: Db) => Histogram<Label> {
  return defined((registry) => new Histogram({ ...definition, registers: [registry] }));
}

function defined<Metric>(make: (registry: Registry) => Metric): (db: Db) => Metric {
  const metricIn = memoizeByObject(make);
  definitions.push((registry) => void metricIn(registry));
  return (db) => metricIn(processMetrics(db));
}

const inUse = gauge({
  name: 'mongodb_connections_in_use',
  help: 'Connections to MongoDB that are running a command.',
});
const waiting = gauge({
  name: 'mongodb_connection_waiters',
  help: 'Commands that wait for one of the 64 MongoDB connections per server.',
});

/** Counts connection use from now on. Call it once `db` is connected and idle. */
export function countPoolUse(db: Db): void {
  const [used, queued] = [inUse(db), waiting(db)];
  db.getClient()
    .on('connectionCheckOutStarted', () => queued.inc())
    .on('connectionCheckOutFailed', () => queued.dec())
    .on('connectionCheckedOut', () => {
      queued.dec();
      used.inc();
    })
    .on('connectionCheckedIn', () => used.dec());
}
