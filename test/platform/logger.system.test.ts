import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { nodeArguments } from '../../src/development/embedded/processes.ts';

const PLATFORM = pathToFileURL(path.resolve(import.meta.dirname, '../../src/platform')).href;
const [option = '', tsx = ''] = nodeArguments('logger.ts');
const STUCK_AFTER_MS = 3000;

/** Starts a program that uses `log`; its log goes to `output`. */
function start(program: string, output: 'pipe' | number) {
  const script = `import { createLogger } from '${PLATFORM}/logger.ts';
    import { processMetrics } from '${PLATFORM}/process-metrics.ts';
    const log = createLogger('test', 'info');
    ${program}`;
  return spawn(process.execPath, [option, tsx, '--input-type=module', '--eval', script], {
    stdio: ['ignore', output, 'pipe', 'ipc'],
  });
}

test('a process whose log is no longer read can still exit', async () => {
  const program = `process.on('message', () => { log.info('stopping'); log.info('stopped'); process.exit(0); });
    process.send('ready');`;
  const child = start(program, 'pipe');
  await once(child, 'message');
  child.stdout?.destroy();
  child.send('exit');
  const kill = setTimeout(() => child.kill('SIGKILL'), STUCK_AFTER_MS);
  expect(await once(child, 'exit')).toEqual([0, null]);
  clearTimeout(kill);
});

test('a process whose log is on a full disk continues, reports this once on stderr, and counts the dropped lines', async () => {
  const program = `for (let line = 0; line < 2000; line += 1) log.info('x'.repeat(1000));
    process.send(await processMetrics({}).metrics(), () => process.exit(0));`;
  const child = start(program, openSync('/dev/full', 'w'));
  const [[metrics], stderr, ended] = await Promise.all([
    once(child, 'message'),
    text(child.stderr as Readable),
    once(child, 'exit'),
  ]);
  expect(metrics).toMatch(/^log_lines_dropped_total [1-9]\d*$/m);
  expect(stderr.match(/The log cannot be written \(ENOSPC\)/g)).toHaveLength(1);
  expect(ended).toEqual([0, null]);
});
