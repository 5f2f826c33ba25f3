import { createLogger } from '../../src/platform/logger.ts';
import { createProgress } from '../../src/platform/progress.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';

/** What a process of the service gets from its lifecycle, for one that runs in the test's; `write` takes each line that it logs. */
export type TestScope<Settings> = {
  scope: ProcessScope<Settings>;
  /** Tells it to stop, as SIGTERM does. */
  abort(): void;
  /** Releases what it acquired, in reverse. */
  release(): Promise<void>;
};

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
