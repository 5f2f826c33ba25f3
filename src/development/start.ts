/**
 * `npm start`: the whole system on one machine, until it is asked to stop or the process that started it is gone. Like everything
 * in this folder it is for development: the build and the image leave `src/development/` out.
 */

import { fileURLToPath } from 'node:url';
import { watchStopRequests } from './start/stop-requests.ts';
import { createSystem } from './start/system.ts';

const log = (line: string): void => console.log(line);

const system = createSystem({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  env: process.env,
  log,
  onServerEnd: (sentence) => void end(sentence, 1),
});

watchStopRequests(
  process.env,
  (reason) => void end(`Stopping (${reason}); again to force it.`, 0),
  () => {
    log('Forced.');
    system.kill();
    process.exit(1);
  },
);

await system
  .start()
  .catch((error: unknown) => end(error instanceof Error ? error.message : String(error), 1));

async function end(reason: string, exitCode: number): Promise<void> {
  if (process.exitCode !== undefined) return;
  process.exitCode = exitCode;
  log(reason);
  await system.stop().catch((error: unknown) => {
    process.exitCode = 1;
    log(`Stopping failed: ${error instanceof Error ? error.message : String(error)}`);
  });
  log('Stopped.');
  process.exit();
}
