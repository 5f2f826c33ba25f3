/** Wall-clock arithmetic with Intl's formatter only, to check the rules, which use Temporal. */
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const formatters = new Map<string, Intl.DateTimeFormat>();

/** The wall-clock time in `timeZone` at an instant, in epoch milliseconds as if it were UTC. */
export function wallMsOf(instantMs: number, timeZone: string): number {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    // The Swedish format is ISO 8601 without the T: 2026-11-21 10:00:00.
    formatter = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
    formatters.set(timeZone, formatter);
  }
  return Date.parse(`${formatter.format(instantMs).replace(' ', 'T')}Z`);
}

/**
 * The instant of a wall time, like Temporal's `compatible`: the first of two instants, or the one after a skipped hour.
 */
export function instantMsOf(date: string, time: string, timeZone: string): number {
  const wallMs = Date.parse(`${date}T${time}Z`);
  const offsetMsAt = (instantMs: number) => wallMsOf(instantMs, timeZone) - instantMs;
  const offsetBeforeMs = offsetMsAt(wallMs - DAY_MS);
  const candidates = [wallMs - offsetBeforeMs, wallMs - offsetMsAt(wallMs + DAY_MS)];
  const real = candidates.filter((instantMs) => wallMsOf(instantMs, timeZone) === wallMs);
  return real.length > 0 ? Math.min(...real) : wallMs - offsetBeforeMs;
}

/** `date` moved by `days`. */
export function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The dates between `from` and `to` on which the clocks of `timeZone` change; a change may be a date later. */
export function clockChanges(timeZone: string, from: string, to: string): string[] {
  const changes: string[] = [];
  const offsetMsAt = (date: string) => wallMsOf(Date.parse(date), timeZone) - Date.parse(date);
  for (let date = from; date < to; date = dateAfter(date, 1)) {
    if (offsetMsAt(date) !== offsetMsAt(dateAfter(date, 1))) changes.push(date);
  }
  return changes;
}

/** Minutes after midnight as `HH:MM`. */
export function timeOfDay(minutes: number): string {
  return new Date(minutes * MINUTE_MS).toISOString().slice(11, 16);
}
