import { exec, execFile, execFileSync, execSync, fork, spawn, spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { chromium } from 'playwright-core';

const LINE = 'true';

test.each([
  ['spawn', () => spawn(LINE)],
  ['exec', () => exec(LINE)],
  ['execFile', () => execFile(LINE)],
  ['fork', () => fork(LINE)],
  ['spawnSync', () => spawnSync(LINE)],
  ['execSync', () => execSync(LINE)],
  ['execFileSync', () => execFileSync(LINE)],
])('a suite of this tier that starts a process by %s is told where it belongs', (_name, start) => {
  expect(start).toThrow('npm run test:system');
});

test('so is one that starts a browser', async () => {
  await expect(chromium.launch({ executablePath: process.execPath })).rejects.toThrow('npm run test:system');
});
