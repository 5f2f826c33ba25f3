import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { projectFolder } from './planted-tree.ts';

/** Expressions that read the machine's clock; the first one includes `new Date()`. */
const CLOCK_READING = /\bDate\(\)|\bDate\.now\b|\bTemporal\.Now\b/g;
const clockReadings = (source: string): string[] => source.match(CLOCK_READING) ?? [];

const timeless = readdirSync(path.join(projectFolder, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(service|rules|store)\.ts$/.test(file))
  .map((file) => path.join(projectFolder, 'src', file));

test('no service, rule or store reads the wall clock; callers pass the time', () => {
  expect(timeless.length).toBeGreaterThan(100);
  for (const file of timeless) expect([file, clockReadings(readFileSync(file, 'utf8'))]).toEqual([file, []]);
  expect(clockReadings('const at = [new Date(), Date(), Date.now, Temporal.Now]')).toHaveLength(4);
});
