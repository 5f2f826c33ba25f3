import { expect, test } from '@jest/globals';
import { percentile } from '../../src/webhooks/deliveries/observability.service.ts';

const oneToHundred = Array.from({ length: 100 }, (_, index) => index + 1);

test.each<[number[], number, number | null]>([
  [[], 50, null],
  [[7], 50, 7],
  [[7], 99, 7],
  [[1, 2], 50, 1],
  [[1, 2, 3], 50, 2],
  [[1, 2, 3, 4], 95, 4],
  [oneToHundred, 50, 50],
  [oneToHundred, 95, 95],
  [oneToHundred, 99, 99],
  [oneToHundred, 100, 100],
])('of %j, percentile %i by nearest rank is %j', (values, percent, expected) => {
  expect(percentile(values, percent)).toBe(expected);
});
