import { describe, expect, test } from '@jest/globals';
import { FIGURE_NAMES, GOALS, isReached, missed } from '../../bench/goals.ts';
import type { Figure } from '../../bench/report.ts';
import { ROWS } from '../../bench/rows/rows.ts';

const rowNames = ROWS.map(({ name }) => name);

test('each goal names a row, and each row has a goal', () => {
  expect([...new Set(FIGURE_NAMES.map((name) => GOALS[name].row))].toSorted()).toEqual(rowNames.toSorted());
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

  test('is missed by figures below it, but not by missing figures', () => {
    const figureOf = (value: number): Figure => ({ value, low: value, high: value });
    const figures = { hold: figureOf(0.83), confirm: figureOf(0.6), healthz: figureOf(0) };
    expect(missed({ figures })).toEqual(['hold']);
  });
});
