import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { isAlive, nodeArguments } from '../../src/development/embedded/processes.ts';
import {
  runToEnd,
  type SupervisedProcess,
  superviseProcess,
} from '../../src/development/start/supervised-process.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from './temporary-folder.ts';

const program = fileURLToPath(new URL('./supervise.ts', import.meta.url));
const sayReady = 'process.send({ ready: true, pid: process.pid, number: process.env.NUMBER });';
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

async function writeScript(script: string): Promise<string> {
  const file = path.join(folder, 'program.mjs');
  await writeFile(file, `import { appendFileSync, rmSync, truncateSync } from 'node:fs';\n${script}`);
  return file;
}

const logFile = (): string => path.join(folder, 'logs', 'api.log');

async function specOf(script: string, env: () => Record<string, string> = () => ({})) {
  return {
    ...{ name: 'api', file: await writeScript(script), logFile: logFile() },
    ...{ env, log: (line: string) => void lines.push(line) },
  };
}

async function supervise(script: string, env?: () => Record<string, string>): Promise<SupervisedProcess> {
  running = superviseProcess(await specOf(script, env));
  return running;
}

const noteStart = (): string =>
  `appendFileSync(${JSON.stringify(path.join(folder, 'starts'))}, process.pid + ' ' + process.env.NUMBER + '\\n');`;
const starts = async (): Promise<string[]> =>
  (await readFile(path.join(folder, 'starts'), 'utf8')).trim().split('\n');

describe('a process that dies', () => {
  test('is started again, with the environment of then', async () => {
    let number = 0;
    const supervised = await supervise(`${noteStart()} ${sayReady} ${stayUp}`, () => ({
      NUMBER: String(++number),
    }));
    const first = (await supervised.ready) as { pid: number };
    process.kill(first.pid, 'SIGKILL');
    const second = await eventually('the second start', async () => (await starts())[1]);
    expect(second).toMatch(/ 2$/);
    expect(lines[0]).toMatch(/^api stopped unexpectedly \(SIGKILL\); restarting it/);
    await supervised.stop(5_000);
    expect(isAlive(Number(second.split(' ')[0]))).toBe(false);
  });

  test('before it was ready is a failure that shows the end of its log, and is not started again', async () => {
    const supervised = await supervise(`${noteStart()} console.error('PORT is taken'); process.exit(4);`);
    await expect(supervised.ready).rejects.toThrow(/api ended \(4\) before it was ready[^]*PORT is taken/);
    await supervised.stop(5_000);
    expect(await starts()).toHaveLength(1);
  });

  test('while it is being stopped is not started again', async () => {
    const supervised = await supervise(`${noteStart()} ${sayReady} ${stayUp}`);
    const { pid } = (await supervised.ready) as { pid: number };
    process.kill(pid, 'SIGKILL');
    await eventually('its end to be seen', () => lines.length > 0);
    await supervised.stop(5_000);
    // Longer than the delay of a restart, which is what must not come.
    await expect(eventually('a second start', async () => (await starts())[1], 1_500)).rejects.toThrow(
      'second',
    );
  });
});

describe('a process that was ready', () => {
  const died = async ({ ready }: SupervisedProcess): Promise<void> => {
    const { pid } = (await ready) as { pid: number };
    process.kill(pid, 'SIGKILL');
  };
  const startedAgain = () => eventually('the second start', async () => (await starts())[1]);

  test('is started again also where its log was removed', async () => {
    const supervised = await supervise(`${noteStart()} ${sayReady} ${stayUp}`);
    await supervised.ready;
    await rm(logFile());
    await died(supervised);
    await startedAgain();
    expect(lines).toHaveLength(1);
  });

  test('is late no more: the deadline of its start has gone', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
    const before = timers();
    const supervised = await supervise(`${sayReady} ${stayUp}`);
    expect(timers()).toBe(before + 1);
    await supervised.ready;
    expect(timers()).toBe(before);
  });

  test('is started again once it can be, where its log cannot be opened at first', async () => {
    const supervised = await supervise(`${noteStart()} ${sayReady} ${stayUp}`);
    await supervised.ready;
    await rename(path.dirname(logFile()), path.join(folder, 'away'));
    await died(supervised);
    await eventually('a start that fails', () =>
      lines.find((line) => /could not be started.*ENOENT/.test(line)),
    );
    await rename(path.join(folder, 'away'), path.dirname(logFile()));
    expect(await startedAgain()).toMatch(/^\d+ /);
  });

  test('is started again once it can be, where the system refuses to start it at first', async () => {
    const supervised = await supervise(`${noteStart()} ${sayReady} ${stayUp}`);
    const { execPath } = process;
    try {
      await supervised.ready;
      process.execPath = path.join(folder, 'no-node');
      await died(supervised);
      await eventually('a start that fails', () => lines.find((line) => /ENOENT/.test(line)));
    } finally {
      process.execPath = execPath;
    }
    expect(await startedAgain()).toMatch(/^\d+ /);
  });

  test('is not started again where it is stopped while starts fail', async () => {
    const supervised = await supervise(`${noteStart()} ${sayReady} ${stayUp}`);
    await supervised.ready;
    await rename(path.dirname(logFile()), path.join(folder, 'away'));
    await died(supervised);
    await eventually('a start that fails', () => lines.find((line) => /could not be started/.test(line)));
    await supervised.stop(5_000);
    await rename(path.join(folder, 'away'), path.dirname(logFile()));
    // Longer than the delay of a restart, which is what must not come.
    await expect(eventually('a second start', async () => (await starts())[1], 1_500)).rejects.toThrow(
      'second',
    );
  });
});

describe('a start that fails shows', () => {
  test('the end of a log that is longer than a string can be', async () => {
    const fill = `truncateSync(${JSON.stringify(logFile())}, 600 * 2 ** 20);`;
    const supervised = await supervise(`${fill} console.error('\\nPORT is taken'); process.exit(4);`);
    await expect(supervised.ready).rejects.toThrow(/api ended \(4\) before it was ready[^]*PORT is taken/);
    const { message } = (await supervised.ready.catch((err: Error) => err)) as Error;
    expect(message.length).toBeLessThan(20_000);
  });

  test('how it ended where its log is gone', async () => {
    const supervised = await supervise(`rmSync(${JSON.stringify(logFile())}); process.exit(4);`);
    await expect(supervised.ready).rejects.toThrow(/api ended \(4\) before it was ready\. .*cannot be read/);
  });
});

describe('stopping', () => {
  test('waits for a process that finishes what it has', async () => {
    const finish = `process.once('SIGTERM', () => setTimeout(() => { console.log('finished'); process.exit(0); }, 300));`;
    const supervised = await supervise(`${finish} ${sayReady} ${stayUp}`);
    await supervised.ready;
    await supervised.stop(10_000);
    expect(await readFile(logFile(), 'utf8')).toContain('finished');
    expect(lines).toEqual([]);
  });

  test('kills a process that does not end in time, and says so', async () => {
    const supervised = await supervise(`process.on('SIGTERM', () => {}); ${sayReady} ${stayUp}`);
    const { pid } = (await supervised.ready) as { pid: number };
    await supervised.stop(300);
    expect(isAlive(pid)).toBe(false);
    expect(lines).toEqual(['api did not stop within 0.3 s of SIGTERM; killing it']);
  });
});

test('when the parent is killed, its children learn of it and end', async () => {
  const file = await writeScript(`process.once('disconnect', () => process.exit(0)); ${sayReady} ${stayUp}`);
  const stdio = ['ignore' as const, 'inherit' as const, 'inherit' as const, 'ipc' as const];
  const parent = spawn(process.execPath, [...nodeArguments(program), file, path.join(folder, 'log')], {
    stdio,
  });
  const [{ pid }] = (await once(parent, 'message')) as [{ pid: number }];
  expect(isAlive(pid)).toBe(true);
  parent.kill('SIGKILL');
  await eventually('the child to be gone', () => !isAlive(pid));
});

test('a program run to its end rejects with the end of its log when it fails', async () => {
  const signal = new AbortController().signal;
  await expect(runToEnd(await specOf(`console.log('all well');`), signal)).resolves.toBeUndefined();
  const failing = await specOf(`console.log('no index'); process.exitCode = 1;`);
  await expect(runToEnd(failing, signal)).rejects.toThrow(/api failed \(1\)[^]*no index/);
});
