import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, expect, test } from '@jest/globals';
import { temporaryFolder } from './temporary-folder.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('../../scripts/install-once.mjs', import.meta.url));

/** Stands in for npm: notes its arguments, waits a moment, and leaves the files of an install. */
const fakeNpm = `
import { appendFileSync, copyFileSync, mkdirSync } from 'node:fs';
appendFileSync('npm-runs', process.argv.slice(2).join(' ') + '\\n');
await new Promise((resolve) => setTimeout(resolve, 400));
if (process.env.NPM_FAILS) process.exit(1);
mkdirSync('node_modules', { recursive: true });
copyFileSync('package-lock.json', 'node_modules/.package-lock.json');
`;

let clone: string;
beforeEach(async () => {
  clone = await temporaryFolder();
  await mkdir(path.join(clone, 'scripts'));
  await copyFile(script, path.join(clone, 'scripts', 'install-once.mjs'));
  await writeFile(path.join(clone, 'npm.mjs'), fakeNpm);
  await writeLockfile('1.0.0');
});

const writeLockfile = (version: string) =>
  writeFile(
    path.join(clone, 'package-lock.json'),
    JSON.stringify({ packages: { '': {}, 'node_modules/express': { version } } }),
  );

const installOnce = (env: Record<string, string> = {}) =>
  run(process.execPath, [path.join(clone, 'scripts', 'install-once.mjs')], {
    env: { ...process.env, npm_execpath: path.join(clone, 'npm.mjs'), ...env },
  });

async function npmRuns(): Promise<string[]> {
  if (!(await readdir(clone)).includes('npm-runs')) return [];
  return (await readFile(path.join(clone, 'npm-runs'), 'utf8')).trim().split('\n');
}

test('install-once runs npm ci in a fresh clone, and again only for another version in the lockfile', async () => {
  await installOnce();
  expect(await npmRuns()).toEqual(['ci --include=dev']);
  const second = await installOnce();
  expect(second).toMatchObject({ stdout: '', stderr: '' });
  expect(await npmRuns()).toHaveLength(1);
  await writeLockfile('1.0.1');
  await installOnce();
  expect(await npmRuns()).toHaveLength(2);
});

test('of two concurrent runs of install-once, one installs and both succeed', async () => {
  await Promise.all([installOnce(), installOnce()]);
  expect(await npmRuns()).toHaveLength(1);
  expect(await readdir(path.join(clone, '.cache'))).toEqual([]);
});

test('if a run of install-once was killed while installing, the next run installs', async () => {
  await mkdir(path.join(clone, '.cache', 'install-once.lock'), { recursive: true });
  await writeFile(path.join(clone, '.cache', 'install-once.lock', 'pid'), '999999999');
  await installOnce();
  expect(await npmRuns()).toHaveLength(1);
});
