import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from './logger.ts';
import type { Db } from './mongo.ts';
import { singleFlight } from './single-flight.ts';

/**
 * The only way that services learn the time of day; in a process it shows the database's time (`createDatabaseClock`). Expiry of
 * holds never uses it: that is decided by `$$NOW` in the database, so a host whose clock is off neither confirms late nor expires
 * early (ADR 0004).
 */
export type Clock = { now(): Date };

/** The clock of the host, which may be wrong. It is right for what BullMQ compares with its own reading of the same clock. */
export const systemClock: Clock = { now: () => new Date() };

const MEASURE_EVERY_MS = 10_000;
/** Of several readings the fastest is the most exact. */
const SAMPLES = 3;
/** From this difference on, an operator should look at one of the two clocks. */
const WARN_FROM_MS = 2000;

const databaseClocks = new WeakMap<Db, DatabaseClock>();

/** The clock that shows this database's time in this process; the host's clock for a connection without one. */
export const databaseClockOf = (db: Db): Pick<DatabaseClock, 'now' | 'measure'> =>
  databaseClocks.get(db) ?? { ...systemClock, measure: () => Promise.resolve() };

/** A clock that shows the database's time: as of the last measurement, plus what the monotonic clock has counted since. */
export type DatabaseClock = Clock & {
  /** Reads the database's time; keeps the last reading if MongoDB does not respond. Concurrent calls share a run. Never rejects. */
  measure(): Promise<void>;
  /** Measures every 10 s until `stopping` aborts. */
  keepMeasuring(stopping: AbortSignal): Promise<void>;
};

/**
 * Shows every process the same time, however wrong its host's clock is, and whatever steps that clock makes (ADR 0004). A difference
 * within the error of the measurement changes nothing. Before the first measurement it starts from the host's clock.
 */
export function createDatabaseClock(host: Clock, db: Db, log: Logger): DatabaseClock {
  /** The database's time when the monotonic clock was at 0. */
  let originMs = host.now().getTime() - performance.now();
  let isOff = false;
  const nowMs = () => originMs + performance.now();
  const logDisagreement = () => {
    const aheadMs = host.now().getTime() - nowMs();
    if (isOff === Math.abs(aheadMs) >= WARN_FROM_MS) return;
    isOff = !isOff;
    const fields = { ahead_seconds: Math.round(aheadMs / 100) / 10 };
    if (isOff)
      log.warn(fields, 'the clocks of this host and of MongoDB disagree: times are taken from MongoDB');
    else log.info(fields, 'the clocks of this host and of MongoDB agree again');
  };
  const measure = singleFlight(async () => {
    const found = await readOrigin(db).catch(() => undefined);
    if (found === undefined) return;
    if (Math.abs(found.originMs - originMs) > found.errorMs) originMs = found.originMs;
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

/** The instant that the database has now, in whole milliseconds. */
export async function readDatabaseTime(db: Db): Promise<Date> {
  const hello = await db.getClient().db('admin').command({ hello: 1 });
  return hello['localTime'] as Date;
}

/** The database's time when the monotonic clock was at 0, and how wrong that may be: half of what the response took. */
async function readOrigin(db: Db): Promise<{ originMs: number; errorMs: number }> {
  let best = { originMs: 0, errorMs: Number.POSITIVE_INFINITY };
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const beganAt = performance.now();
    const localTime = await readDatabaseTime(db);
    const halfMs = (performance.now() - beganAt) / 2;
    // The server gives its time in whole milliseconds.
    const errorMs = halfMs + 1;
    if (errorMs < best.errorMs) best = { originMs: localTime.getTime() - beganAt - halfMs, errorMs };
  }
  return best;
}
