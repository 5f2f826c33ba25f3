import { Temporal } from 'temporal-polyfill';

/** The calendar date (`YYYY-MM-DD`) that a wall calendar in `timeZone` shows at `instant`. */
export function localDateOf(instant: Date, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timeZone);
  return local.toPlainDate().toString();
}

/** What calendar and clock on a wall in `timeZone` show at `instant`: `YYYY-MM-DDTHH:MM`. */
export function localDateTimeOf(instant: Date, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timeZone);
  return local.toPlainDateTime().toString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
}

/** The time of that: `HH:MM`. */
export function localTimeOf(instant: Date, timeZone: string): string {
  return localDateTimeOf(instant, timeZone).slice('YYYY-MM-DDT'.length);
}

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** The day of the week of a calendar date. */
export function weekdayOf(date: string): Weekday {
  const fromSunday = new Date(`${date}T00:00Z`).getUTCDay();
  return WEEKDAYS[(fromSunday + 6) % 7] ?? 'sun';
}

/**
 * The civil day `date` in `timeZone` as instants, `end` exclusive: 23, 24 or 25 hours long, and beginning later than
 * 00:00 where the clocks skip midnight.
 */
export function dayBounds(date: string, timeZone: string): { start: Date; end: Date } {
  const startOfDay = (day: string) =>
    new Date(Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds);
  return { start: startOfDay(date), end: startOfDay(addDays(date, 1)) };
}

/** The calendar date `days` after `date` (before it when negative). Throws RangeError when `date` is none. */
export function addDays(date: string, days: number): string {
  const day = new Date(`${date}T00:00Z`);
  // Date reads 30 February as 2 March. Temporal would reject it too, but takes ten times as long, in every slotsOn.
  if (!day.toISOString().startsWith(`${date}T`)) throw new RangeError(`${date} is no calendar date.`);
  day.setUTCDate(day.getUTCDate() + days);
  const [sum = ''] = day.toISOString().split('T');
  return sum;
}

/** Whether `text` is `YYYY-MM-DD` and a date that the Gregorian calendar has. */
export function isCalendarDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && succeeds(() => addDays(text, 0));
}

/**
 * Whether `text` names a time zone of the IANA database (in any case). An offset such as `+05:30` knows no DST rules
 * and is rejected, and so are the other spellings that Temporal reads, such as a date with the zone in brackets.
 */
export function isTimeZone(text: string): boolean {
  const namesZone = /^[A-Za-z][\w+\-/]*$/.test(text);
  return namesZone && succeeds(() => Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text));
}

function succeeds(action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}

/** How many days `last` is after `first`. */
export function daysFrom(first: string, last: string): number {
  return (Date.parse(last) - Date.parse(first)) / 86_400_000;
}

/** The calendar dates from `first` to `last`, both included; none where `last` is before `first`. */
export function datesBetween(first: string, last: string): string[] {
  const dates: string[] = [];
  for (let date = first; date <= last; date = addDays(date, 1)) dates.push(date);
  return dates;
}
