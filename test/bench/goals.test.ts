import { expect, test } from '@jest/globals';
import { FIGURE_NAMES, GOALS, missed } from '../../bench/goals.ts';
import type { Figure } from '../../bench/report.ts';
import { ROWS } from '../../bench/rows/rows.ts';

const rowNames = ROWS.map(({ name }) => name);

test('each goal names a row, and each row has a goal', () => {
  expect([...new Set(FIGURE_NAMES.map((name) => GOALS[name].row))].toSorted()).toEqual(rowNames.toSorted());
});

test('a goal is missed by figures below it or without a value, but not by missing figures', () => {
  const figureOf = (value: number): Figure => ({ value, low: value, high: value });
  const figures = { hold: figureOf(0.83), confirm: figureOf(0.6), healthz: figureOf(0) };
  expect(missed({ figures })).toEqual(['hold']);
  expect(missed({ figures: { confirm: figureOf(Number.NaN) } })).toEqual(['confirm']);
});
