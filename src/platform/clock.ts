import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from './logger.ts';
import type { Db } from './mongo.ts';

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
/** From here on an operator should look at one of the two clocks. */
const WARN_FROM_MS = 2000;

const databaseClocks = new WeakMap<Db, Clock>();

/**
 * What shows the time of this database in this process, whatever clock services are given; the host's clock where nobody has
 * made one for the connection.
 */
export const databaseClockOf = (db: Db): Clock => databaseClocks.get(db) ?? systemClock;

/** A clock that shows the database's time, as of the last measurement. */
export type DatabaseClock = Clock & {
  /** Compares the two clocks now; where MongoDB does not respond, what was known stays. Never rejects. */
  measure(): Promise<void>;
  /** Goes on measuring until `stopping` aborts. */
  keepMeasuring(stopping: AbortSignal): Promise<void>;
};

/**
 * The host's clock, corrected by how much it differs from the database's: every process has the same time, however wrong its
 * host is (ADR 0017). A difference within the error of the measurement changes nothing, so a host that is right keeps its own
 * time. Before the first measurement it is the host's clock.
 */
export function createDatabaseClock(host: Clock, db: Db, log: Logger): DatabaseClock {
  let offsetMs = 0;
  let isOff = false;
  const logDisagreement = () => {
    if (isOff === Math.abs(offsetMs) >= WARN_FROM_MS) return;
    isOff = !isOff;
    const fields = { ahead_seconds: Math.round(-offsetMs / 100) / 10 };
    if (isOff)
      log.warn(fields, 'the clocks of this host and of MongoDB disagree: times are taken from MongoDB');
    else log.info(fields, 'the clocks of this host and of MongoDB agree again');
  };
  const measure = async () => {
    const found = await compare(host, db).catch(() => undefined);
    if (found === undefined || Math.abs(found.offsetMs - offsetMs) <= found.errorMs) return;
    offsetMs = found.offsetMs;
    logDisagreement();
  };
  const clock: DatabaseClock = {
    now: () => new Date(host.now().getTime() + offsetMs),
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

/** By how much the database's clock is ahead of the host's, and how wrong that may be: half of what the response took. */
async function compare(host: Clock, db: Db): Promise<{ offsetMs: number; errorMs: number }> {
  let best = { offsetMs: 0, errorMs: Number.POSITIVE_INFINITY };
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const beganAt = performance.now();
    const hostMs = host.now().getTime();
    const localTime = await readDatabaseTime(db);
    const halfMs = (performance.now() - beganAt) / 2;
    // Both clocks are read in whole milliseconds.
    const errorMs = halfMs + 1;
    if (errorMs < best.errorMs)
      best = { offsetMs: Math.round(localTime.getTime() - hostMs - halfMs), errorMs };
  }
  return best;
}
