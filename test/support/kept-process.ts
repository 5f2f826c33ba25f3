import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { hasEnded, spawnBound } from '../../src/development/embedded/server-process.ts';

/**
 * A program that can be killed and restarted, and that never outlives this process. `command` returns the program and
 * its arguments; it is called at every start.
 */
export function keptProcess(command: () => Promise<readonly string[]>) {
  let running: ChildProcess | undefined;
  const signal = async (name: NodeJS.Signals) => {
    if (running === undefined) throw new Error('This process is not running');
    const child = running;
    child.kill(name);
    if (name !== 'SIGKILL') return;
    running = undefined;
    if (!hasEnded(child)) await once(child, 'exit');
  };
  return {
    start: async () => {
      running = spawnBound(await command(), 'ignore');
    },
    isRunning: () => running !== undefined,
    /** SIGKILL ends it, SIGSTOP freezes it with its connections open, SIGCONT resumes it. */
    signal,
    /** Ends it if it runs. */
    end: async () => {
      if (running !== undefined) await signal('SIGKILL');
    },
  };
}
export type KeptProcess = ReturnType<typeof keptProcess>;
