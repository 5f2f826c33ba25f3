import { setTimeout as delay } from 'node:timers/promises';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import { anyVenue, type Json, type Venue } from '../support/factories.ts';
import { integerBetween, pick, type Random } from '../support/random.ts';
import type { Service } from '../support/service.ts';
import { expiredAtMs, idOf, latenessMs, readCommits } from './claim-log.ts';
import type { ShiftedProcess } from './shifted-process.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
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
export async function placedAtAnotherTime(service: Service): Promise<string[]> {
  return (await readCommits(service))
    .flat()
    .filter(({ op, o, wall }) => {
      const { placedAt } = o as Pick<Reservation, 'placedAt'>;
      return op === 'i' && Math.abs(placedAt.getTime() - wall.getTime()) > PLACED_WITHIN_MS;
    })
    .map(idOf);
}
