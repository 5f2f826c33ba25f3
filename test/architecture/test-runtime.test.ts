import { isContext } from 'node:vm';
import { expect, test } from '@jest/globals';

test('a suite is run by Node itself, and not in a machine within it', () => {
  expect(isContext(globalThis)).toBe(false);
});

test('a suite has modules of this project of its own, and shares packages', () => {
  const suite = new URL(import.meta.url).search;
  expect(suite).toMatch(/^\?suite=\d+$/);
  expect(import.meta.resolve('../../src/api.ts')).toMatch(new RegExp(`/src/api\\.ts\\${suite}$`));
  expect(import.meta.resolve('mongoose')).toMatch(/\/node_modules\/mongoose\/[^?]+$/);
});
