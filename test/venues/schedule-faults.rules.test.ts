import { expect, test } from '@jest/globals';
import { scheduleFaults } from '../../src/catalog/venues/schedule-faults.rules.ts';
import type { Hours, Schedule } from '../../src/catalog/venues/venues.service.ts';
import { WEEKDAYS } from '../../src/platform/calendar.ts';

const openingsOf = (texts: readonly string[]): Hours[] =>
  texts.map((each) => {
    const [start = '', end = ''] = each.split('–');
    return { start, end };
  });
/** `weekly`: openings such as `06:00–12:00 16:00–23:00`. `exceptions`: each a date and its openings. */
function faults(weekly: Record<string, string>, exceptions: readonly string[]): string[] {
  const schedule = {
    weekly: Object.fromEntries(WEEKDAYS.map((day) => [day, openingsOf(weekly[day]?.split(' ') ?? [])])),
    exceptions: exceptions.map((text) => {
      const [date = '', ...hours] = text.split(' ');
      return { date, hours: openingsOf(hours) };
    }),
  };
  return scheduleFaults(schedule as Schedule).map(({ path }) => path);
}

// 21 November 2026 is a Saturday.
test.each<[string, Record<string, string>, string[], string[]?]>([
  ['may touch', { mon: '06:00–12:00 12:00–18:00' }, []],
  ['may touch at midnight', { mon: '06:00–00:00', tue: '00:00–06:00' }, []],
  ['may be all hours of all days', Object.fromEntries(WEEKDAYS.map((day) => [day, '00:00–00:00'])), []],
  ['must not overlap', { mon: '06:00–12:00 11:55–18:00' }, ['weekly.mon.1.start']],
  ['are reported at the later one, even if listed first', { mon: '10:00–18:00 06:00–12:00' }, ['weekly.mon.0.start']],
  ['must not be the same', { wed: '06:00–12:00 06:00–12:00' }, ['weekly.wed.1.start']],
  [
    'must not lie within another opening, whether they are neighbours in the list or not; all are reported',
    { mon: '06:00–23:00 07:00–08:00 09:00–10:00', fri: '06:00–08:00 07:00–09:00' },
    ['weekly.mon.1.start', 'weekly.mon.2.start', 'weekly.fri.1.start'],
  ],
  ['must not overlap those of the next day', { mon: '18:00–02:00', tue: '01:55–06:00' }, ['weekly.tue.0.start']],
  ['must not overlap from Sunday into Monday', { sun: '18:00–02:00', mon: '00:00–06:00' }, ['weekly.mon.0.start']],
  ['may pass midnight where the next day begins later', { mon: '18:00–02:00', tue: '02:00–06:00' }, []],
  ['of a date replace those of the day', { sat: '06:00–23:00' }, [], ['2026-11-21 06:00–23:00']],
  ['of a date must not overlap', {}, ['exceptions.0.hours.1.start'], ['2026-11-21 06:00–12:00 11:00–13:00']],
  [
    'of a date must not overlap those of the previous night',
    { fri: '18:00–02:00' },
    ['exceptions.0.hours.0.start'],
    ['2026-11-21 01:00–06:00'],
  ],
  [
    'of a date must not overlap those of the next day',
    { sun: '01:00–06:00' },
    ['exceptions.0.hours.0.end'],
    ['2026-11-21 18:00–02:00'],
  ],
  [
    'of neighbouring dates are compared with each other, in any order',
    { sat: '03:00–06:00', sun: '01:00–06:00' },
    ['exceptions.0.hours.0.start'],
    ['2026-11-22 01:00–04:00', '2026-11-21 18:00–02:00'],
  ],
  ['of a date may continue into a closed date', { sun: '01:00–06:00' }, [], ['2026-11-21 18:00–02:00', '2026-11-22']],
  ['are given once for a date', {}, ['exceptions.1.date'], ['2026-11-21', '2026-11-21 06:00–08:00']],
])('openings %s', (_name, weekly, expected, exceptions = []) => {
  expect(faults(weekly, exceptions)).toEqual(expected);
});
