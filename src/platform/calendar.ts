import { Temporal } from 'temporal-polyfill';

const MAX_REMEMBERED = 10_000;

/** Caches the results of `make`. Temporal takes 10 to 20 µs, and one call asks for the same few days repeatedly. */
export function remembered<T>(make: (key: string) => T): (key: string) => T {
  const results = new Map<string, T>();
  return (key) => {
    const cached = results.get(key);
    if (cached !== undefined) return cached;
    const result = make(key);
    // Clear everything: cheaper than tracking an order, and refilled within one request.
    if (results.size >= MAX_REMEMBERED) results.clear();
    results.set(key, result);
    return result;
  };
}

const QUARTER_MS = 900_000;

const dateOfQuarter = remembered((key) => {
  const [quarter, timeZone = ''] = key.split(' ');
  return zoned(Number(quarter) * QUARTER_MS, timeZone)
    .toPlainDate()
    .toString();
});

const zoned = (epochMs: number, timeZone: string) =>
  Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timeZone);

/** The calendar date (`YYYY-MM-DD`) in `timeZone` at `instant`. */
export function localDateOf(instant: Date, timeZone: string): string {
  const epochMs = instant.getTime();
  // Since 2000, every local day begins on a quarter of an hour of UTC.
  if (epochMs >= FROM_2000) return dateOfQuarter(`${Math.floor(epochMs / QUARTER_MS)} ${timeZone}`);
  return zoned(epochMs, timeZone).toPlainDate().toString();
}

const FROM_2000 = Date.UTC(2000, 0, 1);

/** The local date and time in `timeZone` at `instant`: `YYYY-MM-DDTHH:MM`. */
export function localDateTimeOf(instant: Date, timeZone: string): string {
  const local = zoned(instant.getTime(), timeZone).toPlainDateTime().toString();
  return local.slice(0, 'YYYY-MM-DDTHH:MM'.length);
}

/** The local time in `timeZone` at `instant`: `HH:MM`. */
export function localTimeOf(instant: Date, timeZone: string): string {
  return localDateTimeOf(instant, timeZone).slice('YYYY-MM-DDT'.length);
}

/** The UTC offsets of a zone between two instants, each with the instant from which it applies; in milliseconds. */
export function offsetsOf(timeZone: string, fromMs: number, toMs: number): [fromMs: number, offsetMs: number][] {
  const offsets: [number, number][] = [];
  for (
    let at: Temporal.ZonedDateTime | null = zoned(fromMs, timeZone);
    at !== null && at.epochMilliseconds <= toMs;
    at = at.getTimeZoneTransition('next')
  ) {
    offsets.push([at.epochMilliseconds, at.offsetNanoseconds / 1_000_000]);
  }
  return offsets;
}

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export function weekdayOf(date: string): Weekday {
  const fromSunday = new Date(`${date}T00:00Z`).getUTCDay();
  return WEEKDAYS[(fromSunday + 6) % 7] ?? 'sun';
}

/** The instants at which a day in `timeZone` starts and ends (exclusive): 23, 24 or 25 hours, not always from 00:00. */
export function dayBounds(date: string, timeZone: string): { start: Date; end: Date } {
  const startOfDay = (day: string) => new Date(startMsOf(`${day} ${timeZone}`));
  return { start: startOfDay(date), end: startOfDay(addDays(date, 1)) };
}

const startMsOf = remembered((key) => {
  const [day = '', timeZone = ''] = key.split(' ');
  return Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds;
});

/** The calendar date `days` after `date` (before it if negative). @throws RangeError if `date` is not a date */
export function addDays(date: string, days: number): string {
  return new Date(msOfDate(date) + days * DAY_MS).toISOString().slice(0, -TIME_LENGTH);
}

/** Returns the date `years` later; 28 February for a 29 February that the year lacks. */
export function addYears(date: string, years: number): string {
  return Temporal.PlainDate.from(date).add({ years }).toString();
}

const DAY_MS = 86_400_000;
const TIME_LENGTH = 'THH:MM:SS.sssZ'.length;

const msOfDate = remembered((date) => {
  const day = new Date(`${date}T00:00Z`);
  // Date reads 30 February as 2 March.
  if (!day.toISOString().startsWith(`${date}T`)) throw new RangeError(`${date} is no calendar date.`);
  return day.getTime();
});

export function isCalendarDate(text: string): boolean {
  try {
    return /^\d{4}-\d{2}-\d{2}$/.test(text) && addDays(text, 0) === text;
  } catch {
    return false;
  }
}

/** RFC 3339, with the seconds optional. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/i;

/** The instant of an RFC 3339 text, cut to milliseconds; undefined for other texts and outside the years 0 to 9999. */
export function parseInstant(text: string): Date | undefined {
  if (!INSTANT.test(text)) return undefined;
  try {
    const instant = new Date(Temporal.Instant.from(text).epochMilliseconds);
    // An offset can lead to a year of more than four digits.
    return /^\d/.test(instant.toISOString()) ? instant : undefined;
  } catch {
    return undefined;
  }
}

/** The zone in the spelling of the IANA database; undefined for other texts, such as the offset `+05:30`. */
export function timeZoneNamed(text: string): string | undefined {
  if (!/^[A-Za-z][\w+\-/]*$/.test(text) || ONLY_OF_ICU.test(text)) return undefined;
  try {
    return zoned(0, text).timeZoneId;
  } catch {
    return undefined;
  }
}

/** Names known to Node but not to other systems: the IANA database never had them or has removed them. */
const ONLY_OF_ICU = /^(?:SystemV\/.*|US\/Pacific-New|Canada\/East-Saskatchewan)$/i;

export function daysFrom(first: string, last: string): number {
  return (Date.parse(last) - Date.parse(first)) / DAY_MS;
}

/** The calendar dates from `first` to `last`, both included; none if `last` is before `first`. */
export function datesBetween(first: string, last: string): string[] {
  // Count days; as text the day after 9999-12-31, +010000-01-01, sorts first.
  return Array.from({ length: daysFrom(first, last) + 1 }, (_, days) => addDays(first, days));
}
