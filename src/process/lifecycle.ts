import closeWithGrace from 'close-with-grace';
import type { Logger } from '../platform/logger.ts';
import { createLogger } from '../platform/logger.ts';
import type { Progress } from '../platform/progress.ts';
import { createProgress } from '../platform/progress.ts';
import { Refusal } from '../platform/refusal.ts';
import { onStopSignal, STOP_SIGNALS } from '../platform/stop-signals.ts';
import type { ConfigOf, ProcessName } from './config/config.ts';
import { ConfigError, loadConfig } from './config/config.ts';
import { settingsWarnings } from './config/settings.rules.ts';
import { stopTracing } from './start-tracing.ts';

/** How long a process may take to finish or hand back what it has. */
const STOP_TIMEOUT_MS = 25_000;

export type ProcessScope<Settings = ConfigOf<'api'>> = {
  config: Settings;
  log: Logger;
  /** Aborts as soon as the process is asked to stop; whatever waits must listen to it. */
  stopping: AbortSignal;
  /** What the process is to keep doing; `/healthz` tells what of it has stalled. */
  progress: Progress;
  /** Stops this process in the ordinary way; with 1, or when it stops already and a release says so, it ends with exit code 1. */
  stop(exitCode?: 0 | 1): void;
  /** Stops this process because it must not run: says why and ends with exit code 1. Nothing where it stops already. */
  fail(reason: Error): void;
  /**
   * Registers the release of something acquired, also while the process stops; releases run in reverse order, each once, whatever
   * the others throw.
   */
  onStop(label: string, release: () => Promise<unknown>): void;
};

/**
 * Runs one process from its configuration, of which it has the settings of its name, to its exit code. `start` acquires and registers; what it returns is sent to
 * the parent process, when there is one, with `ready: true`. SIGTERM, SIGINT, SIGHUP, an unexpected error and the death of the
 * parent all end in the same orderly stop, which is cut after 25 s, or by a second Ctrl-C; a faulty configuration, and an unsupported server
 * (ADR 0019), end with exit code 1. `logLevel`, in place of LOG_LEVEL, is for one that prints text for people; `failure` is what
 * the log says of one whose `start` rejects.
 */
export function runProcess<Name extends ProcessName>(
  name: Name,
  start: (scope: ProcessScope<ConfigOf<Name>>) => Promise<Record<string, unknown>>,
  {
    logLevel,
    failure = 'the process could not start',
  }: { logLevel?: string | undefined; failure?: string } = {},
): void {
  const config = configOrExit(name);
  const log = createLogger(name, logLevel ?? config.logLevel);
  for (const warning of settingsWarnings(config)) log.warn(warning);
  const stop = new AbortController();
  let hasFailed = false;
  // Last: what stops before it may still be traced.
  const releases: { label: string; release: () => Promise<unknown> }[] = [
    { label: 'tracing', release: stopTracing },
  ];

  let receivedSignal = 'none';
  // It would end the process at a second signal, whichever that is.
  const options = { delay: STOP_TIMEOUT_MS, logger: false as const, skip: [...STOP_SIGNALS] };
  const closer = closeWithGrace(options, async ({ signal = receivedSignal, err }) => {
    if (err !== undefined) log.fatal({ err }, 'stopping after an unexpected error');
    else log.info({ signal }, 'stopping');
    stop.abort();
    for (let part = releases.pop(); part !== undefined; part = releases.pop()) {
      const { label, release } = part;
      await release().catch((error: unknown) =>
        log.error({ err: error, label }, 'part of the process did not stop cleanly'),
      );
    }
    log.info('stopped');
    if (hasFailed) throw new Error('The process has failed');
  });
  // Each call of close() runs the stop again, and would end the process as soon as that one has nothing left to do.
  const stopOnce = () => {
    if (!stop.signal.aborted) closer.close();
  };
  const force = () => {
    log.warn('stopped at once: Ctrl-C was pressed again');
    process.exit(1);
  };
  onStopSignal((signal) => {
    receivedSignal = signal;
    stopOnce();
  }, force);
  if (process.channel !== undefined) process.once('disconnect', stopOnce);

  const fail = (err: Error) => {
    if (stop.signal.aborted) return;
    if (err instanceof Refusal) log.fatal(err.message);
    else log.fatal({ err }, failure);
    hasFailed = true;
    stopOnce();
  };

  start({
    config,
    log,
    stopping: stop.signal,
    progress: createProgress(),
    stop: (exitCode = 0) => {
      if (exitCode === 1) hasFailed = true;
      stopOnce();
    },
    fail,
    onStop: (label, release) => void releases.push({ label, release }),
  })
    .then((ready) => {
      if (stop.signal.aborted) return;
      log.info(ready, 'ready');
      process.send?.({ ready: true, ...ready });
    })
    .catch(fail);
}

function configOrExit<Name extends ProcessName>(name: Name): ConfigOf<Name> {
  try {
    return loadConfig(undefined, name);
  } catch (err) {
    if (!(err instanceof ConfigError)) throw err;
    process.stderr.write(`${err.message}\n`);
    process.exit(1);
  }
}
