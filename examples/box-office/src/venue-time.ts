/** The local date and time of an instant in a time zone, as named parts. */
function partsOf(instant: string, timeZone: string): Record<string, string> {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'longOffset',
  });
  return Object.fromEntries(format.formatToParts(new Date(instant)).map(({ type, value }) => [type, value]));
}

/** `YYYY-MM-DDTHH:mm±HH:MM` at the venue. The offset distinguishes the two 01:00 when clocks are set back. */
export function localTime(instant: string, timeZone: string): string {
  const { year, month, day, hour, minute, timeZoneName = '' } = partsOf(instant, timeZone);
  return `${year}-${month}-${day}T${hour}:${minute}${timeZoneName.replace('GMT', '') || '+00:00'}`;
}

/** The local time of an instant, such as `Sat 21 Nov, 18:00`. */
export function spokenTime(instant: string, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }).format(new Date(instant));
}

/** The calendar date at the venue now, `YYYY-MM-DD`. */
export const today = (timeZone: string): string => localTime(new Date().toISOString(), timeZone).slice(0, 10);

/** The calendar date `days` after `date`. */
export function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Whether the text is a calendar date. 31 November is not. */
export const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && Number.isFinite(Date.parse(text)) && dateAfter(text, 0) === text;

/** The date, such as `Saturday, 21 November 2026`. */
export const spokenDate = (date: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }).format(new Date(date));

/** More than the longest possible booking horizon of the service, 730 days. */
const MAX_DAYS_AHEAD = 732;

/** Whether a date can be on sale in any time zone. The shop does not call the service about other dates. */
export function canBeOnSale(date: string): boolean {
  const days = (Date.parse(date) - Date.now()) / 86_400_000;
  return days > -3 && days < MAX_DAYS_AHEAD;
}
