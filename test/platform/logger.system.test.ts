import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { nodeArguments } from '../../src/development/embedded/processes.ts';

const LOGGER = pathToFileURL(path.resolve(import.meta.dirname, '../../src/platform/logger.ts')).href;
const [option = '', tsx = ''] = nodeArguments('logger.ts');
const STUCK_AFTER_MS = 3000;

/** Logs two lines and exits when told to. */
const PROGRAM = `import { createLogger } from '${LOGGER}';
  const log = createLogger('test', 'info');
  process.on('message', () => { log.info('stopping'); log.info('stopped'); process.exit(0); });
  process.send('ready');`;

test('a process whose log is no longer read can still exit', async () => {
  const child = spawn(process.execPath, [option, tsx, '--input-type=module', '--eval', PROGRAM], {
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  await once(child, 'message');
  child.stdout?.destroy();
  child.send('exit');
  const kill = setTimeout(() => child.kill('SIGKILL'), STUCK_AFTER_MS);
  expect(await once(child, 'exit')).toEqual([0, null]);
  clearTimeout(kill);
});
