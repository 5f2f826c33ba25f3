import { expect, test } from '@jest/globals';
import { latencyOf, median } from '../../bench/statistics.ts';

test.each([
  [[3], 3],
  [[9, 1, 5], 5],
  [[10, 9, 1], 9],
  [[4, 1, 3, 2], 2.5],
])('the median of %j is %p', (values, expected) => {
  expect(median(values)).toBe(expected);
});

test('of a hundred latencies p50 and p99 are those that so many are below', () => {
  const values = Array.from({ length: 100 }, (_, n) => 100 - n);
  expect(latencyOf(values)).toEqual({ p50: 51, p99: 100, max: 100 });
});
