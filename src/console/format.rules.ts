import { toRupees } from '../domain/money.ts';
import { localDateOf, localTimeOf } from '../platform/calendar.ts';

const RUPEES = new Intl.NumberFormat('en-IN', {
  style: 'currency',
  currency: 'INR',
  trailingZeroDisplay: 'stripIfInteger',
});

/** `₹1,200`, `₹1,200.50`. */
export function price(paise: number): string {
  return RUPEES.format(toRupees(paise));
}

const LONG_DATE = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
});

/** `Sat, 21 Nov 2026` for a calendar date. */
export function longDate(date: string): string {
  return LONG_DATE.format(new Date(`${date}T00:00Z`));
}

/** `18:00–19:00` as the clocks in the zone show it. */
export function timeSpan(start: Date, end: Date, timeZone: string): string {
  return `${localTimeOf(start, timeZone)}–${localTimeOf(end, timeZone)}`;
}

/** `21 Nov 2026, 18:00` as the clocks in the zone show it. */
export function dateTime(at: Date, timeZone: string): string {
  const [, rest = ''] = longDate(localDateOf(at, timeZone)).split(', ');
  return `${rest}, ${localTimeOf(at, timeZone)}`;
}

/** Date and time with seconds. */
export function dateTimeSeconds(at: Date, timeZone: string): string {
  return `${dateTime(at, timeZone)}:${String(at.getUTCSeconds()).padStart(2, '0')}`;
}

/** `Asia/Kolkata, GMT+5:30`: a zone with its offset at an instant. */
export function zoneName(timeZone: string, at: Date): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'shortOffset' }).formatToParts(at);
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return `${timeZone}, ${offset}`;
}

/** `09:07` for 547 seconds. */
export function minutesAndSeconds(seconds: number): string {
  const [whole, rest] = [Math.floor(seconds / 60), seconds % 60];
  return `${String(whole).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
}

/** `dead letter` for `dead_letter`. */
export function words(name: string): string {
  return name.replaceAll('_', ' ');
}

/** `1 booking`, `2 bookings`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** A path with a query of the fields that have a value. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
