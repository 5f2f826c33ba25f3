import type { Has } from './defects.ts';

const HOUR_MS = 3_600_000;

/** What the wall at a venue shows when a slot starts, with the offset: `YYYY-MM-DDTHH:mm±HH:MM`. */
export function localTime(zone: string, instant: string, askedDate: string, has: Has): string {
  if (has('utc-as-local-time')) return `${instant.slice(0, 16)}+00:00`;
  const at = Date.parse(instant);
  const offset = has('winter-offset')
    ? offsetAt(zone, Date.parse('2026-01-01T00:00:00Z'))
    : offsetAt(zone, at);
  const wall = wallAt(at, offset);
  if (has('date-that-was-asked-for')) return `${askedDate}${wall.slice(10)}${offset}`;
  if (!has('first-of-two-hours')) return `${wall}${offset}`;
  const before = offsetAt(zone, at - HOUR_MS);
  return wallAt(at - HOUR_MS, before) === wall ? `${wall}${before}` : `${wall}${offset}`;
}

function wallAt(atMs: number, offset: string): string {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
  return new Date(atMs + offsetMs).toISOString().slice(0, 16);
}

/** The offset of a zone at an instant, such as +05:30. */
function offsetAt(zone: string, atMs: number): string {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  return name === 'GMT' ? '+00:00' : name.slice('GMT'.length);
}
