import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { endProcesses, type SpawnedProcess, startProcess } from '../support/worker-process.ts';
import { processesWith } from './processes-with.ts';
import { temporaryFolder } from './temporary-folder.ts';

const run = promisify(execFile);
let dataDir: string;
let system: SpawnedProcess;

/** Runs what `npm start` runs, on free ports and in its own folder. */
const start = () => startProcess('src/development/start.ts', { DATA_DIR: dataDir, PORT: '0', ADMIN_PORT: '0' });

const untilItRuns = () =>
  eventually('the welcome text', () => {
    if (!system.output().includes('npm run demo')) throw new Error(system.output());
    return true;
  });

/** The processes of this run, including both servers and their watchers. */
const processes = () => processesWith(`DATA_DIR=${dataDir}`);
const untilAllGone = () => eventually('every process to be gone', async () => (await processes()).length === 0);

beforeAll(async () => {
  dataDir = await temporaryFolder();
  system = start();
  await untilItRuns();
});
afterAll(async () => {
  await endProcesses();
  await untilAllGone();
});

test('every printed command works as pasted, and the webhook of the hold arrives signed', async () => {
  const commands = /^KEY=[^]*?(?=The whole story)/m.exec(system.output())?.[0] ?? '';
  const script = commands.replaceAll('curl ', "curl -s -w '\\n' ");
  const { stdout } = await run('/bin/sh', ['-c', script]);
  const [venues, slots, hold] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(venues).toMatchObject({ success: true, count: 1, data: [{ name: 'Koramangala Sports Arena' }] });
  expect(slots.slots.length).toBeGreaterThan(30);
  expect(hold).toMatchObject({ status: 'ACTIVE' });
  await eventually('the webhook', () =>
    system.output().includes(`webhook hold_created, attempt 1, signature ok: ${hold.slot_id}`),
  );
  expect(system.output()).not.toContain('signature ok: null');
});

test('only the API has the operator’s key, and only API and webhook worker have the encryption keys', async () => {
  const running = await processes();
  const withSecret = (variable: string) =>
    running
      .filter(({ environment }) => environment.some((line) => line.startsWith(`${variable}=`)))
      // A process may start a compiler, which inherits its environment.
      .flatMap(({ command }) => /(?:src\/main|workers)\/([\w-]+)\.ts/.exec(command)?.[1] ?? [])
      .toSorted();
  expect(withSecret('OPERATOR_API_KEY')).toEqual(['api']);
  expect(withSecret('ENCRYPTION_KEYS')).toEqual(['api', 'webhook-delivery']);
  expect(withSecret('REDIS_URL')).toEqual(expect.arrayContaining(['hold-expiry']));
});

test('npm start prints the operator’s new key, and no webhook secret', async () => {
  const { operatorApiKey } = JSON.parse(await readFile(path.join(dataDir, 'secrets.json'), 'utf8'));
  expect(system.output()).toContain(operatorApiKey);
  expect(system.output()).not.toContain('whsec_');
});

test('if the API is killed, it restarts at the same address', async () => {
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(system.output())?.[0] ?? '';
  const api = (await processes()).find(({ command }) => command.includes('src/main/api.ts'));
  process.kill(api?.pid ?? 0, 'SIGKILL');
  await eventually('the line about the API', () => system.output().includes('api stopped unexpectedly (SIGKILL)'));
  const answer = await eventually('the API', () => fetch(`${url}/healthz`));
  expect(answer.status).toBe(200);
});

test('npm start ends with 0 when stopped, has the same demo when restarted, and leaves no process even if killed', async () => {
  expect((await processes()).length).toBeGreaterThanOrEqual(8);
  system.signal('SIGINT');
  expect(await system.exited).toEqual({ code: 0, signal: null });
  expect(system.output()).toMatch(/Stopped\.\n$/);
  await untilAllGone();

  const demo = await readFile(path.join(dataDir, 'demo.json'), 'utf8');
  system = start();
  await untilItRuns();
  expect(await readFile(path.join(dataDir, 'demo.json'), 'utf8')).toBe(demo);
  expect(system.output()).not.toMatch(/just made|op_/);

  system.signal('SIGKILL');
  await untilAllGone();
});
