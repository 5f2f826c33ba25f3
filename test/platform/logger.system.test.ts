import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { nodeArguments } from '../../src/development/embedded/processes.ts';

const logger = pathToFileURL(path.resolve(import.meta.dirname, '../../src/platform/logger.ts')).href;
const [option = '', tsx = ''] = nodeArguments('logger.ts');
const STUCK_AFTER_MS = 3000;

/** Starts a program that logs two lines and exits when told to. */
async function started(makeLog: string): Promise<ChildProcess> {
  const program = `${makeLog}
    process.on('message', () => { log.info('stopping'); log.info('stopped'); process.exit(0); });
    process.send('ready');`;
  const child = spawn(process.execPath, [option, tsx, '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  await once(child, 'message');
  return child;
}

/** Stops reading the log and tells the program to exit; returns the exit code, or `stuck`. */
async function exitUnread(child: ChildProcess): Promise<unknown> {
  child.stdout?.destroy();
  const exited = once(child, 'exit');
  child.send('stop');
  const kill = setTimeout(() => child.kill('SIGKILL'), STUCK_AFTER_MS);
  const [code] = (await exited) as [number | null];
  clearTimeout(kill);
  return code ?? 'stuck';
}

test('a process whose log is no longer read can still end', async () => {
  const child = await started(`import { createLogger } from '${logger}'; const log = createLogger('test', 'info');`);
  expect(await exitUnread(child)).toBe(0);
});
