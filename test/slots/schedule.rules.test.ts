import { expect, test } from '@jest/globals';
import { scheduledSlotAt, slotsOn } from '../../src/catalog/slots/schedule.rules.ts';
import { localDateOf } from '../../src/platform/calendar.ts';

// Cases outside the years of the random schedules (schedule.properties.test.ts).

/** `06:00-09:00, 18:00-02:00` as openings. */
function openings(text: string) {
  return text.split(', ').map((opening) => ({ start: opening.slice(0, 5), end: opening.slice(6) }));
}

test.each([
  // Nuuk skips 23:00–24:00 of 28 March, so the opening of the 27th closes at 00:30 on the 29th.
  ['two dates after its operating day', 'America/Nuuk', '2026-03-27', '23:30-23:30', '2026-03-29'],
  // Until 2011, St. John's set its clocks back from 00:01 to 23:01: after the 7th began, it was the 6th again.
  ['one date before its operating day', 'America/St_Johns', '2010-11-07', '00:00-00:30', '2010-11-06'],
])('a slot that a clock change puts %s is found', (_name, timeZone, date, hours, localDate) => {
  const slots = slotsOn(date, openings(hours), 10, timeZone);
  const moved = slots.filter(({ start }) => localDateOf(start, timeZone) === localDate);
  expect(moved).not.toEqual([]);
  for (const slot of moved)
    expect(scheduledSlotAt(slot.start, openings(hours), 10, timeZone)).toEqual({ ...slot, date });
});

test('a day omits slots during an opening that began two days before', () => {
  // In Nuuk, 28 March 2026 ends at 23:00, so an opening of 24 hours from 23:30 on the 27th closes at 00:30 on the 29th.
  const hours = (date: string) => openings(date === '2026-03-29' ? '00:00-02:00' : '23:30-23:30');
  const onlyOn27 = (date: string) => (date === '2026-03-28' ? [] : hours(date));
  const starts = slotsOn('2026-03-29', onlyOn27, 30, 'America/Nuuk').map(({ start }) =>
    start.toISOString().slice(0, 16),
  );
  expect(starts).toEqual(['2026-03-29T01:30', '2026-03-29T02:00', '2026-03-29T02:30']);
});
