import { createClient } from '../support/client.ts';
import type { Partner } from '../support/factories.ts';
import { type HostedService, hostedService } from '../support/service-host.ts';
import { startTcpRelay, type TcpRelay } from '../support/tcp-relay.ts';
import { endProcesses, startApi } from '../support/worker-process.ts';

/** An API process that reaches MongoDB only through a relay, which stands for a failing network. */
export type RelayedApi = {
  relay: TcpRelay;
  /** Another API on the same database, with undisturbed connections. */
  service: HostedService;
  /** A partner whose client calls the relayed API. */
  through(partner: Partner): Partner;
  stop(): Promise<void>;
};

/** Starts both with the leases of production, because the tests' own are shorter than a slow response of MongoDB. */
export async function startRelayedApi(): Promise<RelayedApi> {
  const overrides = { CACHE_LEASE_MS: '1000', MAX_ACTIVE_HOLDS: '100000' };
  const service = await hostedService({ overrides });
  const uri = new URL(service.environment['MONGODB_URI'] ?? '');
  const relay = await startTcpRelay(Number(uri.port));
  uri.port = String(relay.port);
  // Otherwise the driver connects to the address in the replica set's configuration.
  uri.search = 'directConnection=true';
  const { url } = await startApi({ ...service.environment, MONGODB_URI: uri.toString() });
  return {
    relay,
    service,
    through: (partner) => ({ ...partner, api: createClient(url, partner.apiKey) }),
    stop: async () => {
      await endProcesses();
      await relay.close();
      await service.stop();
    },
  };
}
