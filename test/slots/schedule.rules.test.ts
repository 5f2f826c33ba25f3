import { describe, expect, test } from '@jest/globals';
import { scheduledSlotAt, slotsOn } from '../../src/catalog/slots/schedule.rules.ts';
import { addDays, dayBounds, localDateOf } from '../../src/platform/calendar.ts';

const KOLKATA = 'Asia/Kolkata';

/** `06:00-09:00, 18:00-02:00` as openings. */
function openings(text: string) {
  return text.split(', ').map((opening) => ({ start: opening.slice(0, 5), end: opening.slice(6) }));
}

/** Starts of the slots of one operating day, as `YYYY-MM-DDTHH:mm` in UTC. */
function startsOn(date: string, hours: string, durationMinutes: number, timeZone: string): string[] {
  return slotsOn(date, openings(hours), durationMinutes, timeZone).map(({ start }) => minuteOf(start));
}

const minuteOf = (instant: Date | undefined) => instant?.toISOString().slice(0, 16) ?? 'none';

describe('when the clocks do not change', () => {
  test.each([
    ['Asia/Kathmandu (+05:45)', 'Asia/Kathmandu', '06:00-08:00', ['00:15', '01:15']],
    ['two openings, listed in any order', KOLKATA, '18:00-19:00, 06:00-07:00', ['00:30', '12:30']],
    ['hours that are no multiple of the slot', KOLKATA, '06:00-08:55', ['00:30', '01:30']],
    ['hours shorter than a slot', KOLKATA, '06:00-06:55', []],
  ])('slots run back to back from opening and never past closing: %s', (_name, timeZone, hours, times) => {
    const expected = times.map((time) => `2026-11-21T${time}`);
    expect(startsOn('2026-11-21', hours, 60, timeZone)).toEqual(expected);
  });

  test.each(['00:00-00:00', '06:00-06:00', '18:30-18:30'])('%s is open for 24 hours', (hours) => {
    expect(startsOn('2026-11-21', hours, 60, KOLKATA)).toHaveLength(24);
    expect(startsOn('2026-11-21', hours, 1_440, KOLKATA)).toHaveLength(1);
  });

  test('an instant at which no slot begins finds none', () => {
    for (const instant of ['2026-11-21T00:35:00Z', '2026-11-21T03:30:00Z', '2026-11-21T00:30:00.001Z']) {
      expect(scheduledSlotAt(new Date(instant), openings('06:00-09:00'), 60, KOLKATA)).toBeUndefined();
    }
  });
});

describe('when the clocks change', () => {
  test.each([
    ['London, spring', 'Europe/London', '2026-03-29', 60, 23, '2026-03-29T00:00'],
    ['London, autumn', 'Europe/London', '2026-10-25', 60, 25, '2026-10-24T23:00'],
    ['Lord Howe, autumn, by 30 minutes', 'Australia/Lord_Howe', '2026-04-05', 30, 49, '2026-04-04T13:00'],
    ['Havana, spring, midnight skipped', 'America/Havana', '2026-03-08', 60, 23, '2026-03-08T05:00'],
    ['Beirut, autumn, 23:00 twice', 'Asia/Beirut', '2026-10-24', 60, 25, '2026-10-23T21:00'],
  ])('a whole day is as long as it really is: %s', (_name, timeZone, date, minutes, count, first) => {
    const slots = slotsOn(date, openings('00:00-00:00'), minutes, timeZone);
    expect([slots.length, minuteOf(slots[0]?.start)]).toEqual([count, first]);
    const bounds = dayBounds(date, timeZone);
    expect([slots[0]?.start, slots.at(-1)?.end]).toEqual([bounds.start, bounds.end]);
    expect(slotsOn(addDays(date, 1), openings('00:00-00:00'), minutes, timeZone)[0]?.start).toEqual(bounds.end);
  });

  test.each([
    ['opening within the gap opens an hour later', '2026-03-29', '01:15-03:00', 30, ['29T01:15']],
    [
      'closing within the gap closes an hour later',
      '2026-03-29',
      '00:00-01:30',
      30,
      ['29T00:00', '29T00:30', '29T01:00'],
    ],
    ['opening in the gap, closing after it, no time left', '2026-03-29', '01:30-02:00', 5, []],
    [
      'opening in the repeated hour opens the first time',
      '2026-10-25',
      '01:00-03:00',
      60,
      ['25T00:00', '25T01:00', '25T02:00'],
    ],
    ['closing in the repeated hour closes the first time', '2026-10-25', '00:30-01:30', 30, ['24T23:30', '25T00:00']],
  ])('London %s', (_name, date, hours, minutes, expected) => {
    const starts = startsOn(date, hours, minutes, 'Europe/London');
    expect(starts.map((start) => start.slice('2026-03-'.length))).toEqual(expected);
  });

  test.each([
    ['a night', 'Australia/Lord_Howe', '2026-10-03', '22:00-06:00', 480, '2026-10-03T11:30', 450],
    ['a longer day keeps its length', 'Europe/London', '2026-10-25', '00:00-00:00', 1440, '2026-10-24T23:00', 1440],
  ])('a slot as long as the opening is one slot: %s', (_name, timeZone, date, hours, minutes, start, length) => {
    const slots = slotsOn(date, openings(hours), minutes, timeZone);
    const lengths = slots.map((slot) => (slot.end.getTime() - slot.start.getTime()) / 60_000);
    expect([slots.map((slot) => minuteOf(slot.start)), lengths]).toEqual([[start], [length]]);
    const [slot] = slots;
    const found = slot && scheduledSlotAt(slot.start, openings(hours), minutes, timeZone);
    expect(found).toEqual({ ...slot, date });
    // The next day begins where it ends, or where the longer day ends.
    const next = slotsOn(addDays(date, 1), openings(hours), minutes, timeZone);
    expect(next).toHaveLength(1);
  });

  test.each([
    // Nuuk skips 23:00–24:00 of 28 March: the opening of the 27th closes at 00:30 on the 29th.
    ['two dates after its operating day', 'America/Nuuk', '2026-03-27', '23:30-23:30', '2026-03-29'],
    // St. John's set its clocks back from 00:01 to 23:01 until 2011: the 7th has begun when it is the 6th again.
    ['one date before its operating day', 'America/St_Johns', '2010-11-07', '00:00-00:30', '2010-11-06'],
  ])('a slot that the clocks put %s is found', (_name, timeZone, date, hours, localDate) => {
    const slots = slotsOn(date, openings(hours), 10, timeZone);
    const moved = slots.filter(({ start }) => localDateOf(start, timeZone) === localDate);
    expect(moved).not.toEqual([]);
    for (const slot of moved)
      expect(scheduledSlotAt(slot.start, openings(hours), 10, timeZone)).toEqual({ ...slot, date });
  });
});

describe('when hours overlap', () => {
  test('a day leaves out what an opening of two days before still takes', () => {
    // Nuuk's 28 March 2026 ends at 23:00, so that what opens on the 27th at 23:30 for 24 hours closes at 00:30 on the 29th.
    const hours = (date: string) => openings(date === '2026-03-29' ? '00:00-02:00' : '23:30-23:30');
    const onlyOn27 = (date: string) => (date === '2026-03-28' ? [] : hours(date));
    const starts = slotsOn('2026-03-29', onlyOn27, 30, 'America/Nuuk').map(({ start }) => minuteOf(start));
    expect(starts).toEqual(['2026-03-29T01:30', '2026-03-29T02:00', '2026-03-29T02:30']);
  });

  test('the earlier operating day keeps its slots, and the later one begins after them', () => {
    const hours = '18:00-07:30, 06:00-10:00';
    expect(startsOn('2026-11-21', hours, 60, 'UTC').slice(0, 3)).toEqual([
      '2026-11-21T07:00',
      '2026-11-21T08:00',
      '2026-11-21T09:00',
    ]);
    const taken = new Date('2026-11-21T06:00:00Z');
    expect(scheduledSlotAt(taken, openings(hours), 60, 'UTC')?.date).toBe('2026-11-20');
  });

  test('hours that differ by date are asked for each date', () => {
    const hours = (date: string) => openings(date === '2026-11-20' ? '20:00-02:00' : '00:00-04:00');
    const starts = slotsOn('2026-11-21', hours, 60, 'UTC').map(({ start }) => minuteOf(start));
    expect(starts).toEqual(['2026-11-21T02:00', '2026-11-21T03:00']);
    expect(scheduledSlotAt(new Date('2026-11-21T01:00:00Z'), hours, 60, 'UTC')?.date).toBe('2026-11-20');
    expect(slotsOn('2026-11-21', () => [], 60, 'UTC')).toEqual([]);
  });
});

test('nonsense is refused instead of running for ever or answering wrongly', () => {
  for (const minutes of [0, -60, 0.5, Number.NaN]) {
    expect(() => startsOn('2026-11-21', '06:00-09:00', minutes, KOLKATA)).toThrow(RangeError);
  }
  expect(() => startsOn('2026-02-30', '06:00-09:00', 60, KOLKATA)).toThrow(RangeError);
  expect(() => startsOn('2026-11-21', '6-9', 60, KOLKATA)).toThrow(RangeError);
  expect(() => startsOn('2026-11-21', '06:00-09:00', 60, 'Mars/Olympus')).toThrow(RangeError);
});
