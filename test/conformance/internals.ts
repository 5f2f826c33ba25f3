import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { startWorkers } from '../support/workers.ts';

/** What the tests have beyond HTTP, because the service runs in their process. */
export type Internals = {
  service: Service;
  /** A service of another configuration, without workers; the rows that ask for the same one share it. */
  serviceWith: (overrides: Record<string, string>) => Promise<Service>;
  /** What the workers logged so far, line by line. */
  workerLog: () => Record<string, unknown>[];
};

/** Starts a service in sandbox mode with one worker of each kind; `stop` ends it, and further services too. */
export async function startInternals(): Promise<{ internals: Internals; stop: () => Promise<void> }> {
  // No limit here: rows that are about the limit have a service of their own, and the others must not meet it.
  const service = await startService({ RATE_LIMIT_PER_MINUTE: '0' });
  const workers = await startWorkers(service.environment);
  const others = new Map<string, Promise<Service>>();
  return {
    internals: {
      service,
      serviceWith: (overrides) => {
        const name = JSON.stringify(overrides);
        const started = others.get(name) ?? startService(overrides);
        others.set(name, started);
        return started;
      },
      workerLog: workers.log,
    },
    stop: async () => {
      await workers.stop();
      for (const other of others.values()) await (await other).stop();
      await service.stop();
    },
  };
}
