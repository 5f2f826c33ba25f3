import { describe, expect, test } from '@jest/globals';
import { FIGURE_NAMES, GOALS, isReached, missed } from '../../bench/goals.ts';
import { parseOptions } from '../../bench/options.ts';
import { ROWS } from '../../bench/rows/rows.ts';
import { figureOf, reportOf } from './reports.ts';

const rowNames = ROWS.map(({ name }) => name);

describe('goals and rows', () => {
  test('each row has a name of its own', () => {
    expect(new Set(rowNames).size).toBe(rowNames.length);
  });

  test('each goal names a row, and each row has a goal', () => {
    expect([...new Set(FIGURE_NAMES.map((name) => GOALS[name].row))].toSorted()).toEqual(rowNames.toSorted());
  });

  test('no goal has two bounds, and each multiple says of what', () => {
    for (const name of FIGURE_NAMES) {
      const goal = GOALS[name];
      expect([name, 'atLeast' in goal && 'atMost' in goal]).toEqual([name, false]);
      expect([name, 'limit' in goal]).toEqual([name, goal.unit === 'x']);
    }
  });
});

describe('a goal', () => {
  const bounds = { row: 'hold', label: 'a row', unit: 'x' } as const;

  test.each([
    [{ ...bounds, atLeast: 0.5 }, 0.5, true],
    [{ ...bounds, atLeast: 0.5 }, 0.49, false],
    [{ ...bounds, atMost: 19 }, 19, true],
    [{ ...bounds, atMost: 19 }, 19.1, false],
    [{ ...bounds, atLeast: 0.5 }, Number.NaN, false],
    [bounds, 0, null],
  ])('%j and %d', (goal, value, expected) => {
    expect(isReached(goal, value)).toBe(expected);
  });

  test('is missed by the figures that do not reach it, and by none that was not measured', () => {
    const report = reportOf({ hold: figureOf(0.83), confirm: figureOf(0.6), healthz: figureOf(0) });
    expect(missed(report)).toEqual(['hold']);
  });
});

describe('options', () => {
  test('have their defaults', () => {
    expect(parseOptions([], rowNames)).toMatchObject({ only: [], check: false, runs: 3, seconds: 2.5 });
  });

  test('choose rows', () => {
    expect(parseOptions(['--only', 'hold,cycle', '--check'], rowNames)).toMatchObject({
      only: ['hold', 'cycle'],
      check: true,
    });
  });

  test.each([
    [['--only', 'hold,no-such-row'], 'There is no row no-such-row.'],
    [['--runs', '0'], '--runs must be a number above 0'],
    [['--runs', '1.5'], '--runs must be a whole number'],
    [['--seconds', 'long'], '--seconds must be a number above 0'],
    [['--quick'], "Unknown option '--quick'"],
  ])('%j are refused', (args, message) => {
    expect(() => parseOptions(args, rowNames)).toThrow(message);
  });
});
