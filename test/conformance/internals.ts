import { type HostedService, hostedService } from '../support/service-host.ts';

/** What the tests have beyond HTTP: settings, rows of the database, logs. */
export type Internals = {
  service: HostedService;
  /** A service of another configuration, without workers; the rows that ask for the same one share it. */
  serviceWith: (overrides: Record<string, string>) => Promise<HostedService>;
};

/** Starts a service in sandbox mode, `hasWorkers` with one worker of each kind; `stop` ends it, and further services too. */
export async function startInternals(
  hasWorkers: boolean,
): Promise<{ internals: Internals; stop: () => Promise<void> }> {
  // No limit here: rows that are about the limit have a service of their own, and the others must not meet it.
  const service = await hostedService({ overrides: { RATE_LIMIT_PER_MINUTE: '0' }, hasWorkers, isAlone: !hasWorkers });
  const others = new Map<string, Promise<HostedService>>();
  return {
    internals: {
      service,
      serviceWith: (overrides) => {
        const name = JSON.stringify(overrides);
        const started = others.get(name) ?? hostedService({ overrides });
        others.set(name, started);
        return started;
      },
    },
    stop: async () => {
      for (const other of others.values()) await (await other).stop();
      await service.stop();
    },
  };
}
