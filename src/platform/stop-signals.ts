/** How long repeated signals count as one request to stop: npm and supervisors repeat them. */
const SAME_REQUEST_MS = 1000;

export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls `onStop` at the first signal, and `onForce` at a Ctrl-C over a second later. Other repetitions do nothing. */
export function onStopSignal(onStop: (signal: NodeJS.Signals) => void, onForce: () => void = endBySignal): void {
  let firstAtMs: number | undefined;
  const receive = (signal: NodeJS.Signals): void => {
    if (firstAtMs === undefined) {
      firstAtMs = performance.now();
      onStop(signal);
    } else if (signal === 'SIGINT' && performance.now() - firstAtMs > SAME_REQUEST_MS) onForce();
  };
  for (const signal of STOP_SIGNALS) process.on(signal, receive);
}

/** Ends this process as an unhandled SIGINT would, visible in its exit status. */
function endBySignal(): void {
  process.removeAllListeners('SIGINT');
  process.kill(process.pid, 'SIGINT');
}
