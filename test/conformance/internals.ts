import { type HostedService, hostedService } from '../support/service-host.ts';

/** Access beyond HTTP: settings, database rows and logs. */
export type Internals = {
  service: HostedService;
  /** A service with other settings, without workers. Rows that ask for the same settings share it. */
  serviceWith: (overrides: Record<string, string>) => Promise<HostedService>;
};

/** A service in sandbox mode, optionally with one worker of each kind. `stop` also ends services of `serviceWith`. */
export async function startInternals(
  hasWorkers: boolean,
): Promise<{ internals: Internals; stop: () => Promise<void> }> {
  // No rate limit: rows about the limit have their own service.
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
