import { createLogger } from '../../src/platform/logger.ts';
import { createProgress } from '../../src/platform/progress.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';

/** The scope of a process that runs in the test, as the lifecycle makes it for a real one. */
export type TestScope<Settings> = {
  scope: ProcessScope<Settings>;
  /** Tells the process to stop, as SIGTERM does. */
  abort(): void;
  /** Releases all acquired resources, in reverse order. */
  release(): Promise<void>;
};

/** `write` gets each log line. */
export function testScope<Settings extends { logLevel: string }>(
  name: string,
  config: Settings,
  write: (line: string) => void,
): TestScope<Settings> {
  const stopping = new AbortController();
  const releases: (() => Promise<unknown>)[] = [];
  const log = createLogger(name, config.logLevel, { write });
  return {
    scope: {
      config,
      log,
      stopping: stopping.signal,
      progress: createProgress(),
      stop: () => undefined,
      fail: (reason) => log.fatal(reason.message),
      onStop: (_label, release) => void releases.push(release),
    },
    abort: () => stopping.abort(),
    release: async () => {
      for (const release of releases.toReversed()) await release();
    },
  };
}
