import { mkdir, readFile, writeFile } from 'node:fs/promises';
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
  await mkdir(path.join(folder, 'logs'));
  lines = [];
});
afterEach(() => running?.kill());

const logFile = (): string => path.join(folder, 'logs', 'api.log');

async function specOf(script: string) {
  const file = path.join(folder, 'program.mjs');
  await writeFile(file, `import { appendFileSync } from 'node:fs';\n${script}`);
  const env: Record<string, string> = {};
  return { name: 'api', file, env, logFile: logFile(), log: (line: string) => void lines.push(line) };
}

async function supervise(script: string) {
  const spec = await specOf(script);
  running = superviseProcess(spec);
  return { spec, supervised: running };
}

const noteStart = (): string =>
  `appendFileSync(${JSON.stringify(path.join(folder, 'starts'))}, process.pid + ' ' + process.env.NUMBER + '\\n');`;
const starts = async (): Promise<string[]> => (await readFile(path.join(folder, 'starts'), 'utf8')).trim().split('\n');

test('a process that dies before it is ready fails with the end of its log, and is not started again', async () => {
  const { supervised } = await supervise(`${noteStart()} console.error('PORT is taken'); process.exit(4);`);
  await expect(supervised.ready).rejects.toThrow(/api ended \(4\) before it was ready[^]*PORT is taken/);
  await supervised.stop(5_000);
  expect(await starts()).toHaveLength(1);
});

test('stopping kills a process that does not end in time, and says so', async () => {
  const { supervised } = await supervise(`process.on('SIGTERM', () => {}); ${sayReady} ${stayUp}`);
  const { pid } = (await supervised.ready) as { pid: number };
  await supervised.stop(300);
  expect(isAlive(pid)).toBe(false);
});

test('a program run to its end rejects with the end of its log when it fails', async () => {
  const { signal } = new AbortController();
  await expect(runToEnd(await specOf(`console.log('all well');`), signal)).resolves.toBeUndefined();
  const failing = await specOf(`console.log('no index'); process.exitCode = 1;`);
  await expect(runToEnd(failing, signal)).rejects.toThrow(/api failed \(1\)[^]*no index/);
});
