import { expect, test } from '@jest/globals';
import { latencyOf, median, spreadOf } from '../../bench/statistics.ts';

test.each([
  [[3], 3],
  [[9, 1, 5], 5],
  [[10, 9, 1], 9],
  [[4, 1, 3, 2], 2.5],
])('the median of %j is %p', (values, expected) => {
  expect(median(values)).toBe(expected);
});

test('the median of nothing is no number', () => {
  expect(median([])).toBeNaN();
});

test('a spread is the median with the lowest and the highest', () => {
  expect(spreadOf([0.12, 0.09, 0.1])).toEqual({ value: 0.1, low: 0.09, high: 0.12 });
});

test('of a hundred latencies p50 and p99 are those that so many are below', () => {
  const values = Array.from({ length: 100 }, (_, n) => 100 - n);
  expect(latencyOf(values)).toEqual({ p50: 51, p99: 100, max: 100 });
});
