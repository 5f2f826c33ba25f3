import { Temporal } from 'temporal-polyfill';
import { addDays, localDateOf, remembered } from '../../platform/calendar.ts';
import type { Hours } from '../venues/venues.model.ts';

/** Openings for every day, or by date (`YYYY-MM-DD`). */
export type OpeningHours = readonly Hours[] | ((date: string) => readonly Hours[]);

/** The half-open interval [start, end) of a slot. */
export type SlotWindow = { start: Date; end: Date };

export type ScheduledSlot = SlotWindow & { date: string };

/** `wallLengthMs`: the difference of the two wall times; a clock change between them does not affect it. */
type OpeningMs = { startMs: number; endMs: number; wallLengthMs: number };

const MINUTE_MS = 60_000;

/**
 * The slots of the operating day that begins on `date` in `timeZone`, sorted and never overlapping.
 *
 * In each opening, slots of `durationMinutes` of elapsed time follow each other, from its start to its end at most.
 * Wall times resolve by Temporal's `compatible` disambiguation (a skipped time moves forward by the gap, a repeated one
 * is the first), so a DST change can add or remove a slot. If one slot fills an opening and a clock change shortens the
 * opening, the slot is shortened too: a court that is sold by the day is on sale every day.
 *
 * If hours overlap, the earlier operating day wins, then the earlier opening: a slot is left out if it would begin
 * before the slots of that day or opening have ended. For this, all scheduled slots of an earlier day count, even
 * those that its own earlier day leaves out, so the result depends on only two earlier days.
 *
 * `durationMinutes` is a positive integer: the database rejects other durations.
 *
 * @throws RangeError for a malformed date or time, or an unknown zone.
 */
export function slotsOn(date: string, hours: OpeningHours, durationMinutes: number, timeZone: string): SlotWindow[] {
  const durationMs = durationMinutes * MINUTE_MS;
  const openingsOn = (day: string) =>
    (typeof hours === 'function' ? hours(day) : hours).map((opening) => openingOf(day, opening, timeZone));
  // Two days: where the clocks skip the hour before midnight, a 24-hour opening ends two dates after it began.
  const earlierOpenings = [-1, -2].flatMap((days) => openingsOn(addDays(date, days)));
  const freeFromMs = Math.max(-Infinity, ...earlierOpenings.map((opening) => lastSlotEndMs(opening, durationMs)));
  return slotsIn(openingsOn(date), durationMs, freeFromMs);
}

/**
 * The slot that begins exactly at `start`, and its operating date (contract: availability/operating-date); undefined if
 * there is none. Agrees with {@link slotsOn}: finds a slot if and only if `slotsOn` lists it for some date.
 */
export function scheduledSlotAt(
  start: Date,
  hours: OpeningHours,
  durationMinutes: number,
  timeZone: string,
): ScheduledSlot | undefined {
  const localDate = localDateOf(start, timeZone);
  // A slot's local date can be two days after its operating date (if the clocks skip the end of a day), or one day
  // before it (if they are set back across midnight).
  for (const days of [0, -1, -2, 1]) {
    const date = addDays(localDate, days);
    const slots = slotsOn(date, hours, durationMinutes, timeZone);
    const slot = slots.find((candidate) => candidate.start.getTime() === start.getTime());
    if (slot) return { ...slot, date };
  }
  return undefined;
}

/** The length of a slot: `durationMs`, or less if a clock change shortens an opening of one slot. */
function slotLengthMs({ startMs, endMs, wallLengthMs }: OpeningMs, durationMs: number): number {
  const isCut = wallLengthMs === durationMs && startMs < endMs;
  return isCut ? Math.min(durationMs, endMs - startMs) : durationMs;
}

/** The end of the opening's last slot, or -Infinity if no slot fits. */
function lastSlotEndMs(opening: OpeningMs, durationMs: number): number {
  const { startMs, endMs } = opening;
  const lengthMs = slotLengthMs(opening, durationMs);
  const count = Math.floor((endMs - startMs) / lengthMs);
  return count > 0 ? startMs + count * lengthMs : -Infinity;
}

function slotsIn(openings: readonly OpeningMs[], durationMs: number, freeFromMs: number): SlotWindow[] {
  const slots: SlotWindow[] = [];
  let freeMs = freeFromMs;
  for (const opening of openings.toSorted((a, b) => a.startMs - b.startMs)) {
    const lengthMs = slotLengthMs(opening, durationMs);
    for (let atMs = opening.startMs; atMs + lengthMs <= opening.endMs; atMs += lengthMs) {
      if (atMs < freeMs) continue;
      freeMs = atMs + lengthMs;
      slots.push({ start: new Date(atMs), end: new Date(freeMs) });
    }
  }
  return slots;
}

const openingOf = (date: string, { start, end }: Hours, timeZone: string): OpeningMs =>
  openingByKey(`${date} ${start} ${end} ${timeZone}`);

const openingByKey = remembered((key): OpeningMs => {
  const [date = '', start = '', end = '', timeZone = ''] = key.split(' ');
  const closingDate = end <= start ? addDays(date, 1) : date;
  return {
    startMs: instantMs(date, start, timeZone),
    endMs: instantMs(closingDate, end, timeZone),
    wallLengthMs: instantMs(closingDate, end, 'UTC') - instantMs(date, start, 'UTC'),
  };
});

function instantMs(date: string, time: string, timeZone: string): number {
  const local = Temporal.PlainDate.from(date).toPlainDateTime(time);
  return local.toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds;
}
