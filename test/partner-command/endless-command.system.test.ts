import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { commandTransport } from '../../packages/client/src/certification/command-transport.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { eventually } from '../support/eventually.ts';

const ENVIRONMENT = { PARTNER_BASE_URL: 'http://127.0.0.1:4010', PARTNER_API_KEY: 'pk_sandbox_any' };
const transportOf = (program: string) =>
  commandTransport([process.execPath, '-e', program], ENVIRONMENT, new AbortController().signal);
const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0);
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

test('at most 1 MB of a command’s endless output is read, and the command is killed', async () => {
  const endless = "const more = () => process.stdout.write('x'.repeat(65536), more); more();";
  await expect(transportOf(endless)('reconcile', {})).rejects.toThrow(
    'reconcile answered more than 1 MB. Respond with its result and nothing else.',
  );
});

test('a command’s log is read to its end, however long', async () => {
  const log = "process.stderr.write('x'.repeat(5_000_000), () => console.log('{}'));";
  expect(await transportOf(log)('reconcile', {})).toEqual({});
  const failing = "process.stderr.write('no such order' + ' '.repeat(5_000_000), () => process.exit(3));";
  await expect(transportOf(failing)('reconcile', {})).rejects.toThrow('exit code 3: no such order');
});

test('a command is over when it exits, even if a process that it leaves running still has its stdout', async () => {
  const beganAt = performance.now();
  const { signal } = new AbortController();
  // The background program inherits the shell's stdout.
  const command = ['/bin/sh', '-c', 'sleep 300 & echo "{\\"pid\\":$!}"; exit 0'];
  const { pid } = (await commandTransport(command, ENVIRONMENT, signal)('reconcile', {})) as { pid: number };
  expect(performance.now() - beganAt).toBeLessThan(20_000);
  expect(isRunning(pid)).toBe(true);
  process.kill(pid);
});

test('at the deadline or an interruption, a command is killed with all its processes', async () => {
  const folder = await temporaryFolder();
  const started = (signal: AbortSignal, deadlineMs?: number) => {
    const file = path.join(folder, `pid-${deadlineMs ?? 'none'}`);
    const command = ['/bin/sh', '-c', `sleep 300 & echo $! > ${file}; sleep 300`];
    return { file, run: commandTransport(command, ENVIRONMENT, signal, deadlineMs)('reconcile', {}) };
  };
  const late = started(new AbortController().signal, 1000);
  await expect(late.run).rejects.toThrow('reconcile did not answer within 1 s.');
  const stop = new AbortController();
  const interrupted = started(stop.signal);
  await eventually('the command to run', () => existsSync(interrupted.file));
  stop.abort(new Error('interrupted'));
  await expect(interrupted.run).rejects.toThrow('it was killed');
  for (const { file } of [late, interrupted]) {
    const pid = Number(readFileSync(file, 'utf8'));
    await eventually('the background process to be gone', () => !isRunning(pid));
  }
});
