import { describe, expect, test } from '@jest/globals';
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

describe('a typed wall time becomes the instant that the service would use', () => {
  test('any time of any day', () => {
    const random = mulberry32(20_261_121);
    for (let round = 0; round < 2000; round += 1) {
      const at = Date.UTC(2026, 0, 1) + integerBetween(random, 0, 2 * 365 * 288) * 300_000;
      const [local, zone] = [new Date(at).toISOString().slice(0, 16), pick(random, ZONES)];
      expect([local, zone, toInstant(local, zone)]).toEqual([local, zone, expected(local, zone)]);
    }
  });

  test('every five minutes on days of clock changes', () => {
    for (const [day, zone] of [
      ['2026-03-29', 'Europe/London'],
      ['2026-10-25', 'Europe/London'],
      ['2026-04-05', 'Australia/Lord_Howe'],
      ['2026-10-04', 'Australia/Lord_Howe'],
    ] as const) {
      for (let step = 0; step < 288; step += 1) {
        const local = new Date(Date.parse(`${day}T00:00Z`) + step * 300_000).toISOString().slice(0, 16);
        expect([local, toInstant(local, zone)]).toEqual([local, expected(local, zone)]);
      }
    }
  });
});
