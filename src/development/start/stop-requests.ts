import { onStopSignal } from '../../platform/stop-signals.ts';
import { parentOf } from '../embedded/processes.ts';
import type { Environment } from '../embedded/run-command.ts';

const parentPollMs = 1_000;

/**
 * Calls `onStop`, with a reason, at the first stop signal and when the parent has ended. Also watches npm, because the
 * shell between npm and this process outlives a killed npm. A second Ctrl-C calls `onForce`.
 */
export function watchStopRequests(env: Environment, onStop: (reason: string) => void, onForce: () => void): void {
  onStopSignal(onStop, onForce);

  const parents = (): string => {
    const npm = env['npm_lifecycle_event'] ? parentOf(process.ppid) : undefined;
    return `${process.ppid} ${npm ?? ''}`;
  };
  const initialParents = parents();
  const poll = setInterval(() => {
    if (parents() === initialParents) return;
    clearInterval(poll);
    onStop('the parent process is gone');
  }, parentPollMs);
  poll.unref();
}
