import { expect, test } from '@jest/globals';
import { Temporal } from 'temporal-polyfill';

const script = new URL('../../src/console/assets/venue-time.js', import.meta.url).href;
const { toInstant } = (await import(script)) as { toInstant: (local: string, timeZone: string) => string };

/** The local time according to the library that the service uses for schedules. */
function expected(local: string, timeZone: string): string {
  const zoned = Temporal.PlainDateTime.from(local).toZonedDateTime(timeZone, { disambiguation: 'compatible' });
  return new Date(zoned.epochMilliseconds).toISOString();
}

const ZONES = ['Asia/Kolkata', 'Europe/London', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'];
/** On each of these days, the clocks of one zone change. */
const CHANGES = ['2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01'];

test.each(ZONES)('a typed wall time of %s becomes the instant that the service would use', (zone) => {
  // Every quarter of an hour, from the day before a change to the day after it.
  const times = CHANGES.flatMap((day) =>
    Array.from({ length: 3 * 96 }, (_, quarter) =>
      new Date(Date.parse(`${day}T00:00Z`) + (quarter - 96) * 900_000).toISOString().slice(0, 16),
    ),
  );
  const instants = (convert: typeof toInstant) => times.map((local) => [local, convert(local, zone)]);
  expect(instants(toInstant)).toEqual(instants(expected));
});
