import { expect, test } from '@jest/globals';
import { Temporal } from 'temporal-polyfill';
import { integerBetween, mulberry32, pick } from '../support/random.ts';

const script = new URL('../../src/console/assets/venue-time.js', import.meta.url).href;
const { toInstant } = (await import(script)) as { toInstant: (local: string, timeZone: string) => string };

/** The local time according to the library that the service uses for schedules. */
function expected(local: string, timeZone: string): string {
  const zoned = Temporal.PlainDateTime.from(local).toZonedDateTime(timeZone, { disambiguation: 'compatible' });
  return new Date(zoned.epochMilliseconds).toISOString();
}

const ZONES = ['Asia/Kolkata', 'Europe/London', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'];
const CLOCK_CHANGES: [day: string, zone: string][] = [
  ['2026-03-29', 'Europe/London'],
  ['2026-10-25', 'Europe/London'],
  ['2026-04-05', 'Australia/Lord_Howe'],
  ['2026-10-04', 'Australia/Lord_Howe'],
];
const STEPS_OF_DAY = 288;

/** The local time this many steps of five minutes after the start of `day`. */
const localAt = (day: string, step: number) => {
  return new Date(Date.parse(`${day}T00:00Z`) + step * 300_000).toISOString().slice(0, 16);
};

test('a typed wall time becomes the instant that the service would use, also when the clocks change', () => {
  const random = mulberry32(20_261_121);
  const anyTimes = Array.from({ length: 1000 }, () => [
    localAt('2026-01-01', integerBetween(random, 0, 2 * 365 * STEPS_OF_DAY)),
    pick(random, ZONES),
  ]);
  const changes = CLOCK_CHANGES.flatMap(([day, zone]) =>
    Array.from({ length: STEPS_OF_DAY }, (_, step) => [localAt(day, step), zone]),
  );
  const times = [...anyTimes, ...changes];
  const instants = (convert: typeof toInstant) =>
    times.map(([local = '', zone = '']) => [local, zone, convert(local, zone)]);
  expect(instants(toInstant)).toEqual(instants(expected));
});
