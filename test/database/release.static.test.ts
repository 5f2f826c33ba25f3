import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { STEPS } from '../../src/operations/database/migration-steps.ts';
import { compareReleases, RELEASE } from '../../src/operations/database/release.ts';

test('the release number is that of package.json, in a comparable format', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(RELEASE).toBe(version);
  expect(RELEASE).toMatch(/^\d+\.\d+\.\d+$/);
  const sorted = ['1.9.0', '1.9.9', '1.10.0', '2.0.0'];
  expect(sorted.toReversed().toSorted(compareReleases)).toEqual(sorted);
});

test('the versions of steps are consecutive, and a contract step drops only what this release does not use', () => {
  expect(STEPS.map(({ version }) => version)).toEqual(STEPS.map((_, index) => index + 1));
  for (const step of STEPS)
    if (step.kind === 'contract') expect(compareReleases(step.unusedSince, RELEASE)).toBeLessThanOrEqual(0);
});
