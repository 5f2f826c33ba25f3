import { Temporal } from 'temporal-polyfill';
import { addDays, localDateOf } from '../../platform/calendar.ts';

/**
 * One opening of an operating day, in the venue's wall time, `HH:MM` (00:00–23:59).
 * An `end` at or before `start` is that time of the next day, so `18:00`–`02:00` passes midnight and `00:00`–`00:00`
 * is the whole day (contract: availability/hours-past-midnight).
 */
export type Opening = { start: string; end: string };

/** The openings of every day alike, or, for a weekly schedule with exceptions, those of one date (`YYYY-MM-DD`). */
export type OpeningHours = readonly Opening[] | ((date: string) => readonly Opening[]);

/** The half-open interval [start, end) that one slot takes. */
export type SlotWindow = { start: Date; end: Date };

/** A slot of the schedule with its operating date: the date on which its operating day begins. */
export type ScheduledSlot = SlotWindow & { date: string };

type WindowMs = { startMs: number; endMs: number };

/** An opening of a date; `onWallMs` is how long it is by the clocks on the wall, whether they change or not. */
type OpeningMs = WindowMs & { onWallMs: number };

const MINUTE_MS = 60_000;
/** Resolving one wall time costs some 30 µs and every resource of a venue asks for the same few: see `windowOf`. */
const MAX_REMEMBERED_WINDOWS = 10_000;
const rememberedWindows = new Map<string, OpeningMs>();

/**
 * The slots of the operating day that begins on `date` in `timeZone`, sorted and never overlapping.
 *
 * From each opening they run back to back and never past closing. A slot lasts `durationMinutes` of elapsed time
 * whatever the clocks do; opening and closing times resolve with Temporal's `compatible` disambiguation (a time that
 * the clocks skip moves forward by the gap, one that comes twice means the first), so a day may have a slot more or
 * less at a DST change. Only a slot that is as long as its opening is shorter where the clocks cut the opening: it fills what is left,
 * so that who sells whole days sells every day.
 *
 * Where hours overlap, the earlier operating day wins, then the opening that begins earlier: a slot is left out when it
 * would begin before their slots have ended. An earlier day counts with every slot that one of its openings would make by
 * itself, even one left out, so that the response never depends on more than the two days before `date`.
 *
 * @throws RangeError for a malformed date or time, an unknown zone, or a duration that is no positive whole number.
 */
export function slotsOn(
  date: string,
  hours: OpeningHours,
  durationMinutes: number,
  timeZone: string,
): SlotWindow[] {
  if (!Number.isInteger(durationMinutes) || durationMinutes <= 0) {
    throw new RangeError(`A slot cannot last ${durationMinutes} minutes.`);
  }
  const durationMs = durationMinutes * MINUTE_MS;
  const windowsOn = (day: string) =>
    (typeof hours === 'function' ? hours(day) : hours).map((opening) => windowOf(day, opening, timeZone));
  // Two days, not one: where the clocks skip the hour before midnight, a 24-hour opening ends on the second date after.
  const earlierWindows = [-1, -2].flatMap((days) => windowsOn(addDays(date, days)));
  const freeFromMs = Math.max(-Infinity, ...earlierWindows.map((window) => lastSlotEnd(window, durationMs)));
  return slotsIn(windowsOn(date), durationMs, freeFromMs).map(({ startMs, endMs }) => ({
    start: new Date(startMs),
    end: new Date(endMs),
  }));
}

/**
 * The slot that begins exactly at `start`, with the date on which its operating day begins: after midnight, the day before (contract:
 * availability/operating-date). Undefined where none begins there. Agrees with {@link slotsOn} for every date: an instant starts a slot
 * here if and only if some date lists it.
 */
export function scheduledSlotAt(
  start: Date,
  hours: OpeningHours,
  durationMinutes: number,
  timeZone: string,
): ScheduledSlot | undefined {
  const localDate = localDateOf(start, timeZone);
  // Nearly always the local date or the one before. Clocks that skip the end of a day can put a slot two dates after
  // its operating day's, and clocks set back across midnight one date before it.
  for (const days of [0, -1, -2, 1]) {
    const date = addDays(localDate, days);
    const slots = slotsOn(date, hours, durationMinutes, timeZone);
    const slot = slots.find((candidate) => candidate.start.getTime() === start.getTime());
    if (slot) return { ...slot, date };
  }
  return undefined;
}

/** How long the slots of an opening are: `durationMs`, or all of an opening that would be as long if the clocks did not change. */
function slotLengthIn({ startMs, endMs, onWallMs }: OpeningMs, durationMs: number): number {
  const isCut = onWallMs === durationMs && startMs < endMs;
  return isCut ? Math.min(durationMs, endMs - startMs) : durationMs;
}

/** When the last slot of an opening by itself ends, or -Infinity when it has room for none. */
function lastSlotEnd(opening: OpeningMs, durationMs: number): number {
  const { startMs, endMs } = opening;
  const lengthMs = slotLengthIn(opening, durationMs);
  const count = Math.floor((endMs - startMs) / lengthMs);
  return count > 0 ? startMs + count * lengthMs : -Infinity;
}

/** The slots that fit in the openings from `freeFromMs` on. */
function slotsIn(openings: readonly OpeningMs[], durationMs: number, freeFromMs: number): WindowMs[] {
  const slots: WindowMs[] = [];
  for (const opening of openings.toSorted((a, b) => a.startMs - b.startMs)) {
    const lengthMs = slotLengthIn(opening, durationMs);
    for (let atMs = opening.startMs; atMs + lengthMs <= opening.endMs; atMs += lengthMs) {
      if (atMs < (slots.at(-1)?.endMs ?? -Infinity) || atMs < freeFromMs) continue;
      slots.push({ startMs: atMs, endMs: atMs + lengthMs });
    }
  }
  return slots;
}

function windowOf(date: string, opening: Opening, timeZone: string): OpeningMs {
  const key = `${timeZone} ${date} ${opening.start} ${opening.end}`;
  const remembered = rememberedWindows.get(key);
  if (remembered) return remembered;
  const closingDate = opening.end <= opening.start ? addDays(date, 1) : date;
  const window = {
    startMs: instantOf(date, opening.start, timeZone),
    endMs: instantOf(closingDate, opening.end, timeZone),
    onWallMs: instantOf(closingDate, opening.end, 'UTC') - instantOf(date, opening.start, 'UTC'),
  };
  // Emptied as a whole: cheaper than keeping an order, and refilled within one request.
  if (rememberedWindows.size >= MAX_REMEMBERED_WINDOWS) rememberedWindows.clear();
  rememberedWindows.set(key, window);
  return window;
}

function instantOf(date: string, time: string, timeZone: string): number {
  const local = Temporal.PlainDate.from(date).toPlainDateTime(time);
  return local.toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds;
}
