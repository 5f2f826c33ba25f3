import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { STEPS } from '../../src/operations/database/migration-steps.ts';
import { compareReleases, RELEASE } from '../../src/operations/database/release.ts';

test('the release number is that of package.json, in a comparable format', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(RELEASE).toBe(version);
  expect(RELEASE).toMatch(/^\d+\.\d+\.\d+$/);
  const isNewer = (a: string, b: string) => compareReleases(a, b) > 0;
  expect([isNewer('1.9.0', '1.10.0'), isNewer('2.0.0', '1.9.9'), isNewer('1.0.0', '1.0.0')]).toEqual([
    false,
    true,
    false,
  ]);
});

test('the versions of steps are consecutive, and a contract step drops only what this release does not use', () => {
  expect(STEPS.map(({ version }) => version)).toEqual(STEPS.map((_, index) => index + 1));
  for (const step of STEPS)
    if (step.kind === 'contract') expect(compareReleases(step.unusedSince, RELEASE)).toBeLessThanOrEqual(0);
});
