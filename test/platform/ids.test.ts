import { expect, test } from '@jest/globals';
import { isUuid, newId } from '../../src/platform/ids.ts';

test('ids are UUIDv7 of now, each later than the one before, however many are made at once', () => {
  const from = Date.now();
  const ids = Array.from({ length: 10_000 }, newId);
  const to = Date.now();
  expect(ids).toEqual([...new Set(ids)].toSorted());
  expect(ids.every(isUuid)).toBe(true);
  expect(ids.every((id) => /^.{14}7.{4}[89ab]/.test(id))).toBe(true);
  const times = ids.map((id) => Number.parseInt(id.replace('-', '').slice(0, 12), 16));
  expect(Math.min(...times)).toBeGreaterThanOrEqual(from);
  expect(Math.max(...times)).toBeLessThanOrEqual(to);
});

test('what is random in an id is drawn for it: none of it is that of another', () => {
  const tails = Array.from({ length: 10_000 }, () => newId().slice(-10));
  expect(new Set(tails).size).toBe(tails.length);
});
