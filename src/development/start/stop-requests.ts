/** The ways in which the process of `npm start` learns that it should end. */

import { parentOf } from '../embedded/processes.ts';
import type { Environment } from '../embedded/server-kinds.ts';

const parentPollMs = 1_000;
/** npm passes a Ctrl-C on that the terminal has sent already; that is not a second one. */
const sameRequestMs = 1_000;

/**
 * Calls `onStop` once, with a reason, at the first SIGINT, SIGTERM or SIGHUP, or when the parent process is gone, which
 * gives no signal. Under npm the shell between npm and this process is watched as well: it outlives a killed npm.
 * A signal that comes later than a second after the first calls `onForce`.
 */
export function watchStopRequests(
  env: Environment,
  onStop: (reason: string) => void,
  onForce: () => void,
): void {
  let firstAt: number | undefined;
  const stop = (reason: string): void => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      onStop(reason);
    } else if (performance.now() - firstAt > sameRequestMs) onForce();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal));

  const family = (): string => {
    const shell = env['npm_lifecycle_event'] ? parentOf(process.ppid) : undefined;
    return `${process.ppid} ${shell ?? ''}`;
  };
  const first = family();
  const poll = setInterval(() => {
    if (family() === first) return;
    clearInterval(poll);
    stop('the parent process is gone');
  }, parentPollMs);
  poll.unref();
}
