import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { isAlive } from '../../src/development/embedded/processes.ts';
import { runToEnd, type SupervisedProcess, superviseProcess } from '../../src/development/start/supervised-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

const sayReady = 'process.send({ ready: true, pid: process.pid });';
const stayUp = 'setInterval(() => {}, 1000);';

let folder: string;
let lines: string[];
let running: SupervisedProcess | undefined;

beforeEach(async () => {
  folder = await temporaryFolder();
  lines = [];
});
afterEach(() => running?.kill());

async function specOf(script: string) {
  const file = path.join(folder, 'program.mjs');
  await writeFile(file, `import { appendFileSync } from 'node:fs';\n${script}`);
  const logFile = path.join(folder, 'api.log');
  return { name: 'api', file, env: {}, logFile, log: (line: string) => void lines.push(line) };
}

async function supervise(script: string) {
  running = superviseProcess(await specOf(script));
  return running;
}

test('a process that dies before it is ready fails with the end of its log, and is not restarted', async () => {
  const starts = path.join(folder, 'starts');
  const noteStart = `appendFileSync(${JSON.stringify(starts)}, 'x');`;
  const { ready, stop } = await supervise(`${noteStart} console.error('PORT is taken'); process.exit(4);`);
  await expect(ready).rejects.toThrow(/api ended \(4\) before it was ready[^]*PORT is taken/);
  await stop(5_000);
  expect(await readFile(starts, 'utf8')).toBe('x');
});

test('stopping kills a process that does not end in time, and says so', async () => {
  const { ready, stop } = await supervise(`process.on('SIGTERM', () => {}); ${sayReady} ${stayUp}`);
  const { pid } = (await ready) as { pid: number };
  await stop(300);
  expect([isAlive(pid), lines]).toEqual([false, ['api did not stop within 0.3 s of SIGTERM; killing it']]);
});

test('a program that fails rejects with the end of its log', async () => {
  const { signal } = new AbortController();
  await expect(runToEnd(await specOf(`console.log('all well');`), signal)).resolves.toBeUndefined();
  const failing = await specOf(`console.log('no index'); process.exitCode = 1;`);
  await expect(runToEnd(failing, signal)).rejects.toThrow(/api failed \(1\)[^]*no index/);
});
