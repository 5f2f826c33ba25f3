import { usageError } from './command-error.ts';

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * The instant of an option, in ISO 8601. `text`: `90s`, `15m`, `2h` or `3d` before `now`, or RFC 3339.
 * @throws CommandError that names the option
 */
export function instantOf(text: string, option: string, now: Date): string {
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const atMs = count === undefined ? instantMsOf(text) : now.getTime() - Number(count) * (UNITS_MS[unit] ?? 0);
  // Also rejects NaN. No event is older than 1970.
  if (!(atMs >= 0))
    throw usageError(
      `${option}: ${text} is not an instant. Give how long ago, such as 2h (s, m, h or d), or an instant such as 2026-11-24T09:00:00Z.`,
    );
  return new Date(atMs).toISOString();
}

/** The milliseconds of an RFC 3339 text. NaN for any other text, also for 30 February, which Date accepts. */
function instantMsOf(text: string): number {
  const [, day = ''] =
    /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/i.exec(text) ?? [];
  const midnight = new Date(day);
  const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
  return isDay ? Date.parse(text) : Number.NaN;
}
