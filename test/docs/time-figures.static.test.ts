import { beforeAll, describe, expect, test } from '@jest/globals';
import { dayBounds } from '../../src/platform/calendar.ts';
import { slotsOn } from '../../src/slots/schedule.rules.ts';
import type { Document } from './documents.ts';
import { readDocument, tableRows } from './documents.ts';

describe('the figures of the guide to time', () => {
  let guide: Document;
  beforeAll(async () => {
    guide = await readDocument('docs/guides/time-and-zones.md');
  });

  test('days have the slots that it says', () => {
    const rows = tableRows(
      guide,
      '| Zone | `date` | Hours | Slot | Slots | First `slot_start` | Last `slot_end` |',
    );
    expect(rows.length).toBeGreaterThanOrEqual(8);
    for (const [zone = '', date = '', hours = '', slot = '', ...figures] of rows) {
      const [start = '', end = ''] = hours.split('–');
      const slots = slotsOn(date, [{ start, end }], Number.parseInt(slot, 10), zone);
      const computed = [String(slots.length), slots[0]?.start.toISOString(), slots.at(-1)?.end.toISOString()];
      expect([zone, date, ...computed]).toEqual([zone, date, ...figures]);
    }
  });

  test('slots after midnight have the date and the wall time that it says', () => {
    const rows = tableRows(guide, '| `date` | Slot at the venue | `slot_start` |');
    expect(rows).toHaveLength(4);
    for (const [date = '', wall = '', start = ''] of rows) {
      const slots = slotsOn(date, [{ start: '18:00', end: '02:00' }], 60, 'Asia/Kolkata');
      expect(slots.map((slot) => slot.start.toISOString())).toContain(start);
      expect(wallAt(start, 'Asia/Kolkata')).toBe(wall);
    }
  });

  test('the hour that comes twice is two slots', () => {
    const rows = tableRows(guide, '| Wall in London | `slot_start` |');
    const starts = slotsOn('2026-10-25', [{ start: '00:00', end: '06:00' }], 60, 'Europe/London');
    expect(starts.slice(1, 3).map((slot) => slot.start.toISOString())).toEqual(
      rows.map(([, start]) => start),
    );
    expect(rows.map(([, start = '']) => wallAt(start, 'Europe/London').slice(-5))).toEqual([
      '01:00',
      '01:00',
    ]);
  });

  test('civil days begin and end when it says', () => {
    const rows = tableRows(guide, '| Zone | Date | From | Before | Hours |');
    expect(rows).toHaveLength(5);
    for (const [zone = '', date = '', ...figures] of rows) {
      const { start, end } = dayBounds(date, zone);
      const hours = (end.getTime() - start.getTime()) / 3_600_000;
      expect([date, start.toISOString(), end.toISOString(), String(hours)]).toEqual([date, ...figures]);
    }
  });

  function wallAt(instant: string, timeZone: string): string {
    const parts = {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
    } as const;
    return new Intl.DateTimeFormat('en-GB', { timeZone, ...parts })
      .format(new Date(instant))
      .replace(/^(\w+),? /, '$1 ');
  }
});
