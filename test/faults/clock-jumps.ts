import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../src/platform/ids.ts';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import { anyVenue, type Json, type Venue } from '../support/factories.ts';
import { integerBetween, pick, type Random } from '../support/random.ts';
import type { Service } from '../support/service.ts';
import { expiredAtMs, idOf, latenessMs, readCommits } from './claim-log.ts';
import type { ShiftedProcess } from './shifted-process.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** How far clocks are set wrong: by a time zone mistaken for UTC, or to any date. 0 sets the right time. */
const JUMPS_MS = [HOUR_MS, -HOUR_MS, 400 * DAY_MS, -400 * DAY_MS, 0];

/** Sets the clock of the process's host at random moments until `over` aborts; returns the number of jumps. */
export async function keepJumping(
  shifted: ShiftedProcess,
  random: Random,
  everyMs: { min: number; max: number },
  over: AbortSignal,
): Promise<number> {
  let jumps = 0;
  for (let left: number[] = []; !over.aborted; jumps += 1) {
    // Make each jump once before repeating one.
    if (left.length === 0) left = [...JUMPS_MS];
    const shiftMs = pick(random, left);
    left.splice(left.indexOf(shiftMs), 1);
    shifted.jump(shiftMs);
    const pauseMs = integerBetween(random, everyMs.min, everyMs.max);
    await delay(pauseMs, undefined, { signal: over }).catch(() => undefined);
  }
  return jumps;
}

/** A venue where it is midday now, open all day in slots of 5 minutes; `date` is today there. */
export async function anyVenueOfToday(service: Service, resources: readonly Json[]): Promise<Venue & { date: string }> {
  const hour = new Date().getUTCHours();
  const isDayInUtc = hour >= 6 && hour < 18;
  const open = { duration_minutes: 5, operating_hours_start: '00:00', operating_hours_end: '00:00' };
  const venue = await anyVenue(
    service,
    resources.map((each) => ({ ...open, ...each })),
    { time_zone: isDayInUtc ? 'UTC' : 'Etc/GMT-12' },
  );
  const date = new Date(Date.now() + (isDayInUtc ? 0 : 12 * HOUR_MS)).toISOString().slice(0, 10);
  return { ...venue, date };
}

/** The lowest settings that a process accepts. */
const KEPT_DAYS = { RETENTION_HOLDS_DAYS: 30, RETENTION_BOOKINGS_DAYS: 90, RETENTION_AUDIT_DAYS: 90 };
export const RETENTION_SETTINGS: Record<string, string> = {
  ...Object.fromEntries(Object.entries(KEPT_DAYS).map(([name, days]) => [name, String(days)])),
  RETENTION_EVENTS_DAYS: '30',
  RETENTION_DELIVERIES_DAYS: '15',
  RETENTION_DEAD_LETTERS_DAYS: '15',
};

/**
 * Inserts ended holds and bookings, like `example`: some old enough to be deleted (`old`), some half an hour too young
 * (`young`). Returns their ids.
 */
export async function insertAged(
  { context: { db } }: Service,
  example: Reservation,
  count: number,
): Promise<{ old: string[]; young: string[] }> {
  const { outboxSince: _since, holdKey: _key, holdOrdinal: _ordinal, ...fields } = example;
  const aged = (days: number, beforeMs: number, isBooking: boolean): Reservation => {
    const at = new Date(Date.now() - days * DAY_MS - beforeMs);
    const ended = { ...fields, _id: newId(), claimed: false, outbox: [], placedAt: at };
    const over = { slotStart: at, slotEnd: at, holdExpiresAt: at };
    return isBooking
      ? { ...ended, ...over, status: 'CANCELLED', bookingId: newId(), bookedAt: at, cancelledAt: at }
      : { ...ended, ...over, status: 'EXPIRED', expiredAt: at };
  };
  const each = (beforeMs: number) =>
    Array.from({ length: count }, () => [
      aged(KEPT_DAYS.RETENTION_HOLDS_DAYS, beforeMs, false),
      aged(KEPT_DAYS.RETENTION_BOOKINGS_DAYS, beforeMs, true),
    ]).flat();
  const [old, young] = [each(HOUR_MS / 2), each(-HOUR_MS / 2)];
  await db.collection<Reservation>('reservations').insertMany([...old, ...young]);
  return { old: old.map(({ _id }) => _id), young: young.map(({ _id }) => _id) };
}

const KEPT_COLLECTIONS = ['reservations', 'events', 'deliveries', 'audit'];

/** Deleted rows, except those in `mayGo`. */
export async function deletedEarly(service: Service, mayGo: readonly string[]): Promise<string[]> {
  const deleted = await Promise.all(
    KEPT_COLLECTIONS.map(async (collection) =>
      (await readCommits(service, collection))
        .flat()
        .filter(({ op, o }) => op === 'd' && !mayGo.includes(String(o['_id'])))
        .map((write) => `${idOf(write)} of ${collection}`),
    ),
  );
  return deleted.flat();
}

/** The holds that were expired too early, and by how many milliseconds each hold was late, by the oplog. */
export async function expiries(
  service: Service,
  rows: readonly Reservation[],
): Promise<{ early: string[]; lateMs: number[] }> {
  const endedAtMs = await expiredAtMs(service);
  const expired = rows.filter(({ _id, status }) => status === 'EXPIRED' && endedAtMs.has(_id));
  const lateMs = latenessMs(expired, endedAtMs);
  return { early: expired.filter((_row, index) => (lateMs[index] ?? 0) < 0).map(({ _id }) => _id), lateMs };
}

/** Holds that were confirmed at or after their expiry. A walk-in has no `ttlMs`. */
export const confirmedLate = (rows: readonly Reservation[]): string[] =>
  rows
    .filter(({ ttlMs, bookedAt, holdExpiresAt }) => ttlMs !== undefined && (bookedAt ?? 0) >= holdExpiresAt)
    .map(({ _id }) => _id);

/** How much `placedAt` may differ from the time of the write, because the database is busy. */
const PLACED_WITHIN_MS = 5000;

/** Holds whose `placedAt`, from which their expiry is counted, differs from the time of the write. */
export async function placedAtAnotherTime(service: Service, except: readonly string[]): Promise<string[]> {
  return (await readCommits(service))
    .flat()
    .filter(({ op, o }) => op === 'i' && !except.includes(String(o['_id'])))
    .filter(({ o, wall }) => {
      const { placedAt } = o as Pick<Reservation, 'placedAt'>;
      return Math.abs(placedAt.getTime() - wall.getTime()) > PLACED_WITHIN_MS;
    })
    .map(idOf);
}
