import { expect, test } from '@jest/globals';
import { Temporal } from 'temporal-polyfill';
import {
  datesBetween,
  dayBounds,
  isCalendarDate,
  localDateOf,
  offsetsOf,
  parseInstant,
  timeZoneNamed,
} from '../../src/platform/calendar.ts';

test('a civil day ends where the next one begins', () => {
  expect(dayBounds('2026-11-21', 'Asia/Kolkata')).toEqual({
    start: new Date('2026-11-20T18:30:00.000Z'),
    end: new Date('2026-11-21T18:30:00.000Z'),
  });
  // In Havana, 8 March begins at 01:00, because the clocks skip the first hour.
  expect(dayBounds('2026-03-08', 'America/Havana').start).toEqual(new Date('2026-03-08T05:00:00.000Z'));
});

test.each([
  ['2026-12-31', '2027-01-01', ['2026-12-31', '2027-01-01']],
  ['2028-02-28', '2028-03-01', ['2028-02-28', '2028-02-29', '2028-03-01']],
  ['2026-11-22', '2026-11-20', []],
  ['9999-12-30', '9999-12-31', ['9999-12-30', '9999-12-31']],
])('the dates from %s to %s are %j', (first, last, expected) => {
  expect(datesBetween(first, last)).toEqual(expected);
});

test('the offsets of a zone begin with the current one and include each change', () => {
  const [from, to] = [Date.parse('2025-01-01T00:00Z'), Date.parse('2025-12-31T00:00Z')];
  expect(offsetsOf('Europe/London', from, to)).toEqual([
    [from, 0],
    [Date.parse('2025-03-30T01:00Z'), 3_600_000],
    [Date.parse('2025-10-26T01:00Z'), 0],
  ]);
  expect(offsetsOf('UTC', from, to)).toEqual([[from, 0]]);
});

test('only a real date in full digits is a calendar date', () => {
  expect(['2026-11-21', '2028-02-29', '0001-01-01', '9999-12-31'].filter((text) => !isCalendarDate(text))).toEqual([]);
  const others = ['2026-02-29', '2026-13-01', '2026-00-10', '2026-1-1', '20261121', '2026-11-21T00:00Z', ''];
  others.push('2026-11-21\n');
  expect([...others, '+002026-11-21', '-000001-01-01', '2026-11-21[u-ca=hebrew]'].filter(isCalendarDate)).toEqual([]);
});

test.each([
  ['2026-11-25T04:00:15Z', '2026-11-25T04:00:15.000Z'],
  ['2026-11-25T04:00Z', '2026-11-25T04:00:00.000Z'],
  ['2026-11-25t09:30:15.5+05:30', '2026-11-25T04:00:15.500Z'],
  ['2026-11-25T04:00:15.926535+00:00', '2026-11-25T04:00:15.926Z'],
  ['2026-11-25T04:00:15.999999999z', '2026-11-25T04:00:15.999Z'],
  ['2026-11-25T04:00:15-00:00', '2026-11-25T04:00:15.000Z'],
  ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.000Z'],
])('%s is the instant %s', (text, instant) => {
  expect(parseInstant(text)?.toISOString()).toBe(instant);
});

test('only RFC 3339 text with a four-digit year is an instant', () => {
  const others = ['2026-11-25', '2026-11-25T04:00:15', '2026-11-25T04:00:15.Z', '2026-11-25T04:00:15,5Z'];
  others.push('2026-02-30T04:00:00Z', '2026-11-25T24:00:00Z', '2026-11-25T04:60:00Z', '2026-11-25 04:00:00Z');
  others.push('2026-11-25T04:00:15.1234567890Z', '2026-11-25T04:00:00+24:00', '2026-11-25T04:00:00+0530');
  others.push('9999-12-31T23:59:59-00:01', '0000-01-01T00:00:00+00:01', '2026-11-25T04:00:00Z[UTC]', '');
  expect(others.filter((text) => parseInstant(text) !== undefined)).toEqual([]);
});

test('a time zone in upper or lower case gets the spelling of the IANA database', () => {
  const listed = Intl.supportedValuesOf('timeZone');
  // Node lists one name for each zone, often an old one. The others are newer names, aliases, and unusual spellings.
  const others = ['Kolkata', 'Kathmandu', 'Ho_Chi_Minh', 'Ust-Nera'].map((city) => `Asia/${city}`);
  others.push('America/Argentina/Buenos_Aires', 'America/Port-au-Prince', 'Africa/Dar_es_Salaam');
  others.push('Antarctica/DumontDUrville', 'Europe/Isle_of_Man', 'Europe/Kyiv', 'US/Pacific', 'Etc/GMT+5');
  others.push('GB-Eire', 'NZ-CHAT', 'W-SU', 'EST5EDT', 'PRC', 'UTC', 'Etc/UTC', 'Zulu', 'Mexico/BajaNorte');
  const wrong = [...listed, ...others].filter((name) =>
    [name, name.toLowerCase(), name.toUpperCase()].some((text) => timeZoneNamed(text) !== name),
  );
  expect(wrong).toEqual([]);
});

test('only a name of the IANA database is a time zone', () => {
  const others = ['+05:30', '-08', 'Z', '', 'IST', 'GMT+5', 'Mars/Olympus', 'Asia/Kolkata ', 'T10Z', 'localtime'];
  others.push('SystemV/PST8', 'systemv/EST5EDT', 'US/Pacific-New', 'canada/east-saskatchewan', 'Etc/Unknown');
  others.push('2026-11-21T00:00[Asia/Kolkata]', 'Asia/Kolkata\n');
  expect(others.filter((text) => timeZoneNamed(text) !== undefined)).toEqual([]);
});

test('local dates around midnight agree with Temporal in every time zone, in seven years from 1900 to 2040', () => {
  const differing = Intl.supportedValuesOf('timeZone').flatMap((timeZone) =>
    [1900, 1971, 1999, 2000, 2011, 2026, 2040].flatMap((year) => {
      const midnight = Temporal.ZonedDateTime.from({ timeZone, year, month: 3, day: 28 }).epochMilliseconds;
      return [-1, 0, 899_999, 900_000].filter((ms) => {
        const local = Temporal.Instant.fromEpochMilliseconds(midnight + ms).toZonedDateTimeISO(timeZone);
        return localDateOf(new Date(midnight + ms), timeZone) !== local.toPlainDate().toString();
      });
    }),
  );
  expect(differing).toEqual([]);
});
