import { describe, expect, test } from '@jest/globals';
import { slotsOn } from '../../src/catalog/slots/schedule.rules.ts';
import { addDays } from '../../src/platform/calendar.ts';
import { CELL_MINUTES, cellsOf } from '../../src/reservations/cells.rules.ts';
import { randomSchedule } from '../slots/random-schedule.ts';
import { integerBetween, mulberry32, propertySeed, type Random } from '../support/random.ts';

const MINUTE_MS = 60_000;
const at = (time: string) => new Date(`2026-11-21T${time}Z`);
const isOnGrid = (instant: Date) => instant.getTime() % (CELL_MINUTES * MINUTE_MS) === 0;
const share = (a: string[], b: string[]) => a.some((cell) => b.includes(cell));

describe('cells', () => {
  test('a window fills one cell for each space and 5-minute step, its end excluded', () => {
    expect(cellsOf(['turf-a', 'turf-a+turf-full'], at('23:50'), new Date('2026-11-22T00:05:00Z'))).toEqual([
      'turf-a@202611212350',
      'turf-a@202611212355',
      'turf-a@202611220000',
      'turf-a+turf-full@202611212350',
      'turf-a+turf-full@202611212355',
      'turf-a+turf-full@202611220000',
    ]);
    expect(cellsOf(['turf-a'], at('04:30'), at('05:30'))).toHaveLength(60 / CELL_MINUTES);
  });

  test('a claim without cells, which would guard nothing, is rejected', () => {
    expect(() => cellsOf(['t'], at('04:30'), at('04:30'))).toThrow(RangeError);
    expect(() => cellsOf(['t'], at('04:30'), at('04:00'))).toThrow(RangeError);
    expect(() => cellsOf(['t'], new Date(Number.NaN), at('04:00'))).toThrow(RangeError);
    expect(() => cellsOf([], at('04:00'), at('04:30'))).toThrow(RangeError);
  });
});

describe('when two windows are compared by their cells', () => {
  type Cells = typeof cellsOf;

  /** The first pair of windows that overlap without a common cell, or share one on the grid without overlapping. */
  function firstMistake(cells: Cells, seed = propertySeed()): string | undefined {
    const random = mulberry32(seed);
    for (let index = 0; index < 4_000; index += 1) {
      const unitMs = random() < 0.5 ? CELL_MINUTES * MINUTE_MS : 1;
      const [a, b] = [randomWindow(random, unitMs), randomWindow(random, unitMs)];
      const overlap = a.start < b.end && b.start < a.end;
      const shared = share(cells(['t'], a.start, a.end), cells(['t'], b.start, b.end));
      const isExact = unitMs > 1;
      if (overlap !== shared && (overlap || isExact)) {
        return `${JSON.stringify({ a, b, overlap, shared })} (PROPERTY_SEED=${seed}, case ${index})`;
      }
    }
    return undefined;
  }

  function randomWindow(random: Random, unitMs: number) {
    const units = (minutes: number) => Math.floor((minutes * MINUTE_MS) / unitMs);
    const startMs = at('00:00').getTime() + integerBetween(random, 0, units(60)) * unitMs;
    return {
      start: new Date(startMs),
      end: new Date(startMs + integerBetween(random, 1, units(40)) * unitMs),
    };
  }

  test('overlapping windows always share a cell; others on the grid never do', () => {
    expect(firstMistake(cellsOf)).toBeUndefined();
  });

  test.each<[string, Cells]>([
    ['rounds inwards', (...claim) => cellsOf(...claim).slice(isOnGrid(claim[1]) ? 0 : 1)],
    ['forgets the last cell', (...claim) => cellsOf(...claim).slice(0, -1)],
    ['fills the cell at its end', (spaces, start, end) => cellsOf(spaces, start, new Date(end.getTime() + 1))],
    ['knows only the start', (...claim) => cellsOf(...claim).slice(0, 1)],
  ])('the comparison notices a rule that %s', (_name, cells) => {
    expect(firstMistake(cells)).toMatch(/PROPERTY_SEED=\d+/);
  });

  /** How many cells the slots of three consecutive days share, over many random schedules. */
  function sharedBySlots(lengthenedByMinutes: number): number {
    const random = mulberry32(propertySeed());
    let sharedCells = 0;
    for (let index = 0; index < 100; index += 1) {
      const { hours, durationMinutes, timeZone, date } = randomSchedule(random);
      const slots = [-1, 0, 1].flatMap((days) => slotsOn(addDays(date, days), hours, durationMinutes, timeZone));
      const cells = slots.flatMap(({ start, end }) =>
        cellsOf(['t'], start, new Date(end.getTime() + lengthenedByMinutes * MINUTE_MS)),
      );
      sharedCells += cells.length - new Set(cells).size;
    }
    return sharedCells;
  }

  test('no two slots of a resource share a cell; control: slots that were a minute too long would', () => {
    expect(sharedBySlots(0)).toBe(0);
    expect(sharedBySlots(1)).toBeGreaterThan(0);
  });
});
