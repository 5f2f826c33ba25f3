import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { freshName, serviceEnvironment } from '../support/service-environment.ts';
import { endProcesses, logged, projectFolder, type SpawnedProcess, startProcess } from '../support/worker-process.ts';

const program = path.relative(projectFolder, fileURLToPath(new URL('./releases.ts', import.meta.url)));

afterAll(endProcesses);

const released = (child: SpawnedProcess) =>
  child.log().flatMap((line) => (line['msg'] === 'releasing' ? [line['part']] : []));

type Row = { cause: string; args: string[]; stop?(child: SpawnedProcess): void; code: number };
const rows: Row[] = [
  { cause: 'SIGTERM', args: [], stop: (child) => child.signal('SIGTERM'), code: 0 },
  { cause: 'the loss of its parent', args: [], stop: (child) => child.disconnect(), code: 0 },
  { cause: 'a failure', args: ['fail'], code: 1 },
];

test.each(rows)('a stop by $cause happens once, and releases the newest part first', async ({ args, stop, code }) => {
  const child = startProcess(program, serviceEnvironment(freshName()), args);
  if (stop !== undefined) {
    await child.ready;
    stop(child);
  }
  await logged(child, 'releasing');
  child.disconnect();

  expect((await child.exited).code).toBe(code);

  expect(released(child)).toEqual(['newest', 'late', 'middle', 'oldest']);
  expect(child.log().filter((line) => line['msg'] === 'stopping')).toHaveLength(1);
});
