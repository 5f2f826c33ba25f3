import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { isAlive, nodeArguments } from '../../src/development/embedded/processes.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from './temporary-folder.ts';

const program = fileURLToPath(new URL('./await-stop.ts', import.meta.url));
let file: string;
let pid: number;

beforeEach(async () => {
  file = path.join(await temporaryFolder(), 'requests');
});
afterEach(() => {
  if (isAlive(pid)) process.kill(pid, 'SIGKILL');
});

const requests = async () => (await readFile(file, 'utf8')).trim().split('\n').slice(1);

/** Runs the program below `shells` idle shells; returns the outermost. */
async function runBelow(shells: number, env: Record<string, string> = {}) {
  const command = [process.execPath, ...nodeArguments(program), file].map((word) => `'${word}'`).join(' ');
  // The `:` keeps the shell from replacing itself with the program.
  const inner = 'eval "$COMMAND"; :';
  const script = shells === 2 ? '/bin/sh -c "$INNER"; :' : inner;
  const outermost = spawn('/bin/sh', ['-c', script], {
    env: { ...process.env, npm_lifecycle_event: '', ...env, COMMAND: command, INNER: inner },
    stdio: 'ignore',
  });
  pid = await eventually('the program', async () => Number((await readFile(file, 'utf8')).split('\n')[0]));
  return outermost;
}

test.each([
  ['the parent', 1, {}],
  ['npm, whose shell lives on,', 2, { npm_lifecycle_event: 'start' }],
])('when %s is killed, the program gets a request to stop', async (_what, shells, env) => {
  const outermost = await runBelow(shells, env);
  expect(await requests()).toEqual([]);
  outermost.kill('SIGKILL');
  expect(await eventually('a request', async () => (await requests())[0])).toBe('the parent process is gone');
});
