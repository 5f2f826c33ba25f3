import { expect, test } from '@jest/globals';
import { isUuid, newId } from '../../src/platform/ids.ts';

test('ids are UUIDv7 with the current time, and 10,000 ids made at once increase', () => {
  const beganAt = Date.now();
  const ids = Array.from({ length: 10_000 }, newId);
  const endedAt = Date.now();
  expect(ids).toEqual([...new Set(ids)].toSorted());
  expect(ids.every(isUuid)).toBe(true);
  expect(ids.every((id) => /^.{14}7.{4}[89ab]/.test(id))).toBe(true);
  const times = ids.map((id) => Number.parseInt(id.replace('-', '').slice(0, 12), 16));
  expect(Math.min(...times)).toBeGreaterThanOrEqual(beganAt);
  expect(Math.max(...times)).toBeLessThanOrEqual(endedAt);
});

test('the random part is different in each id', () => {
  const tails = Array.from({ length: 10_000 }, () => newId().slice(-10));
  expect(new Set(tails).size).toBe(tails.length);
});
