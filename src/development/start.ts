/**
 * `npm start`: the whole system on one machine, until it gets a stop signal or its parent ends. `src/development/` is
 * for development only: the build and the image leave it out.
 */

import { watchStopRequests } from './start/stop-requests.ts';
import { createSystem } from './start/system.ts';
import { welcomeText } from './start/welcome.ts';

const log = (line: string): void => console.log(line);

const system = createSystem(process.env, log, (sentence) => void end(`${sentence} Stopping the system.`, 1));

watchStopRequests(
  process.env,
  (reason) => void end(`Stopping (${reason}); Ctrl-C again to force it.`, 0),
  () => {
    log('Forced.');
    system.kill();
    process.exit(1);
  },
);

await system.start().then(
  (welcome) => log(welcomeText(welcome)),
  (error: Error) => end(error.message, 1),
);

async function end(reason: string, exitCode: number): Promise<void> {
  if (process.exitCode !== undefined) return;
  process.exitCode = exitCode;
  log(reason);
  await system.stop();
  log('Stopped.');
  process.exit();
}
