/** npm passes on what its whole process group has received, and a supervisor repeats itself: one request, several signals. */
const SAME_REQUEST_MS = 1000;

export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Calls `onStop` once, at the first SIGINT, SIGTERM or SIGHUP. A Ctrl-C (SIGINT) later than a second after it calls `onForce`; all
 * other signals that follow are ignored, so that repeating one cuts nothing off.
 */
export function onStopSignal(
  onStop: (signal: NodeJS.Signals) => void,
  onForce: () => void = endBySignal,
): void {
  let firstAt: number | undefined;
  const receive = (signal: NodeJS.Signals): void => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      onStop(signal);
    } else if (signal === 'SIGINT' && performance.now() - firstAt > SAME_REQUEST_MS) onForce();
  };
  for (const signal of STOP_SIGNALS) process.on(signal, receive);
}

/** Ends this process as a signal ends one that does not handle it: its exit status says so. */
function endBySignal(): void {
  process.removeAllListeners('SIGINT');
  process.kill(process.pid, 'SIGINT');
}
