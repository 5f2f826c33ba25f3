import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from './logger.ts';
import type { Db } from './mongo.ts';
import { singleFlight } from './single-flight.ts';

/** The source of time for services. It follows the database's clock; expiry compares with `$$NOW` itself (ADR 0004). */
export type Clock = { now(): Date };

/** The host's clock, which may be wrong. BullMQ compares job times with this clock. */
export const systemClock: Clock = { now: () => new Date() };

const MEASURE_EVERY_MS = 10_000;
/** Readings per measurement: the fastest one is the most exact. */
const SAMPLES = 3;
/** If the host's and the database's clock differ by this much or more, a warning is logged. */
const WARN_FROM_MS = 2000;

const databaseClocks = new WeakMap<Db, DatabaseClock>();

/** The clock of this database in this process; the host's clock for a connection without one. */
export const databaseClockOf = (db: Db): Pick<DatabaseClock, 'now' | 'measure'> =>
  databaseClocks.get(db) ?? { ...systemClock, measure: () => Promise.resolve() };

/** Shows the database's time: the last measurement plus the time that the monotonic clock has counted since. */
type DatabaseClock = Clock & {
  /** Reads the database's time; keeps the last reading if MongoDB does not respond. Single-flight; never rejects. */
  measure(): Promise<void>;
  /** Measures every 10 s until `stopping` aborts. */
  keepMeasuring(stopping: AbortSignal): Promise<void>;
};

/**
 * Gives all processes the same time, even if their hosts' clocks are wrong (ADR 0004). Starts from the host's clock.
 */
export function createDatabaseClock(host: Clock, db: Db, log: Logger): DatabaseClock {
  /** The database's time when the monotonic clock was at 0. */
  let originMs = host.now().getTime() - performance.now();
  let hasWarned = false;
  const nowMs = () => originMs + performance.now();
  const logDisagreement = () => {
    const aheadMs = host.now().getTime() - nowMs();
    const isFarOff = Math.abs(aheadMs) >= WARN_FROM_MS;
    if (isFarOff === hasWarned) return;
    hasWarned = isFarOff;
    const fields = { ahead_seconds: Math.round(aheadMs / 100) / 10 };
    if (isFarOff) log.warn(fields, 'the clocks of this host and of MongoDB disagree: using the time of MongoDB');
    else log.info(fields, 'the clocks of this host and of MongoDB agree again');
  };
  const measure = singleFlight(async () => {
    const reading = await readOrigin(db).catch(() => undefined);
    if (reading === undefined) return;
    if (Math.abs(reading.originMs - originMs) > reading.errorMs) originMs = reading.originMs;
    logDisagreement();
  });
  const clock: DatabaseClock = {
    now: () => new Date(nowMs()),
    measure,
    keepMeasuring: async (stopping) => {
      while (!stopping.aborted) {
        await delay(MEASURE_EVERY_MS, undefined, { signal: stopping }).catch(() => undefined);
        if (!stopping.aborted) await measure();
      }
    },
  };
  databaseClocks.set(db, clock);
  return clock;
}

/** The database's time in whole milliseconds. */
export async function readDatabaseTime(db: Db): Promise<Date> {
  const hello = await db.getClient().db('admin').command({ hello: 1 });
  return hello['localTime'] as Date;
}

/** The database's time when the monotonic clock was at 0; the error is at most half the round trip. */
async function readOrigin(db: Db): Promise<{ originMs: number; errorMs: number }> {
  let best = { originMs: 0, errorMs: Number.POSITIVE_INFINITY };
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const beganAt = performance.now();
    const localTime = await readDatabaseTime(db);
    const halfMs = (performance.now() - beganAt) / 2;
    // The server reports whole milliseconds.
    const errorMs = halfMs + 1;
    if (errorMs < best.errorMs) best = { originMs: localTime.getTime() - beganAt - halfMs, errorMs };
  }
  return best;
}
