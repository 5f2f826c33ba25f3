import closeWithGrace from 'close-with-grace';
import { createLogger, type Logger } from '../platform/logger.ts';
import { createProgress, type Progress } from '../platform/progress.ts';
import { Refusal } from '../platform/server-requirements.rules.ts';
import { onStopSignal, STOP_SIGNALS } from '../platform/stop-signals.ts';
import { ConfigError, type ConfigOf, loadConfig, type ProcessName } from './config/config.ts';
import { settingsWarnings } from './config/setting-combinations.rules.ts';
import { stopTracing } from './start-tracing.ts';

const STOP_TIMEOUT_MS = 25_000;

export type ProcessScope<Settings = ConfigOf<'api'>> = {
  config: Settings;
  log: Logger;
  /** Aborts when the process is asked to stop; everything that waits must listen to it. */
  stopping: AbortSignal;
  /** The regular work of the process; `/healthz` reports stalled work. */
  progress: Progress;
  /** Stops this process. `stop(1)` makes its exit code 1, even if it is already stopping. */
  stop(exitCode?: 0 | 1): void;
  /** Stops this process because it must not run: logs why and ends with exit code 1. */
  fail(reason: Error): void;
  /** Registers a release, also while stopping. Releases run in reverse order, each once, even after one throws. */
  onStop(label: string, release: () => Promise<unknown>): void;
};

/**
 * Runs a process from its configuration to its exit code. The result of `start` is sent to a parent process with
 * `ready: true`. A stop signal, an unexpected error and the death of the parent all lead to the same orderly stop,
 * which is cut off after 25 s or by a second Ctrl-C. A faulty configuration and an unsupported server end with exit
 * code 1. `logLevel` replaces LOG_LEVEL; `failure` is logged if `start` rejects.
 */
export function runProcess<Name extends ProcessName>(
  name: Name,
  start: (scope: ProcessScope<ConfigOf<Name>>) => Promise<Record<string, unknown>>,
  { logLevel, failure = 'the process could not start' }: { logLevel?: string | undefined; failure?: string } = {},
): void {
  const config = configOrExit(name);
  const log = createLogger(name, logLevel ?? config.logLevel);
  for (const warning of settingsWarnings(config)) log.warn(warning);
  const stopRequest = new AbortController();
  let hasFailed = false;
  // Tracing stops last: everything that stops before it may still be traced.
  const releases: { label: string; release: () => Promise<unknown> }[] = [{ label: 'tracing', release: stopTracing }];

  let receivedSignal = 'none';
  // close-with-grace must ignore signals: it would end the process at the second signal.
  const options = { delay: STOP_TIMEOUT_MS, logger: false as const, skip: [...STOP_SIGNALS] };
  const closer = closeWithGrace(options, async ({ signal = receivedSignal, err }) => {
    if (err !== undefined) log.fatal({ err }, 'stopping after an unexpected error');
    else log.info({ signal }, 'stopping');
    stopRequest.abort();
    for (let part = releases.pop(); part !== undefined; part = releases.pop()) {
      const { label, release } = part;
      await release().catch((error: unknown) =>
        log.error({ err: error, label }, 'part of the process did not stop cleanly'),
      );
    }
    log.info('stopped');
    if (hasFailed) throw new Error('The process has failed');
  });
  // A second call of close() would repeat the stop and end the process too early.
  const stopOnce = () => {
    if (!stopRequest.signal.aborted) closer.close();
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
    if (stopRequest.signal.aborted) return;
    if (err instanceof Refusal) log.fatal(err.message);
    else log.fatal({ err }, failure);
    hasFailed = true;
    stopOnce();
  };

  start({
    config,
    log,
    stopping: stopRequest.signal,
    progress: createProgress(),
    stop: (exitCode = 0) => {
      if (exitCode === 1) hasFailed = true;
      stopOnce();
    },
    fail,
    onStop: (label, release) => void releases.push({ label, release }),
  })
    .then((ready) => {
      if (stopRequest.signal.aborted) return;
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
