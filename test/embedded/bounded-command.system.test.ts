import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { runBounded } from '../../src/development/embedded/bounded-command.ts';
import { isAlive } from '../../src/development/embedded/processes.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from './temporary-folder.ts';

const shell = async (script: string, stallMs: number): Promise<string> => {
  const folder = await temporaryFolder();
  await runBounded({
    ...{ command: '/bin/sh', args: ['-c', script], env: { ...process.env, FOLDER: folder }, folder, stallMs },
  });
  return folder;
};

test('a command whose folder stops growing is given up, together with what it started', async () => {
  const folder = await temporaryFolder();
  const script = 'sleep 600 & echo $! > "$FOLDER/pid"; wait';
  const run = runBounded({
    ...{
      command: '/bin/sh',
      args: ['-c', script],
      env: { ...process.env, FOLDER: folder },
      folder,
      stallMs: 700,
    },
  });
  await expect(run).rejects.toThrow('no progress for 0.7 s');
  const sleeper = Number(await readFile(path.join(folder, 'pid'), 'utf8'));
  expect(sleeper).toBeGreaterThan(1);
  await eventually('the grandchild to be gone', () => !isAlive(sleeper));
});

test('a command whose folder keeps growing may take longer than that', async () => {
  const script = 'for i in 1 2 3 4 5 6 7; do sleep 0.3; echo more >> "$FOLDER/file"; done';
  await expect(shell(script, 1200)).resolves.toBeDefined();
});

test('a command that fails is reported by the last line of its errors', async () => {
  await expect(shell('echo first >&2; echo "no such host" >&2; exit 3', 5000)).rejects.toThrow(
    /^no such host$/,
  );
});
