import { createClient } from '../support/client.ts';
import type { Partner } from '../support/factories.ts';
import { type HostedService, hostedService } from '../support/service-host.ts';
import { startTcpRelay, type TcpRelay } from '../support/tcp-relay.ts';
import { endProcesses, startApi } from '../support/worker-process.ts';

/** An API process that reaches MongoDB through a relay alone, as through a network that fails. */
export type RelayedApi = {
  relay: TcpRelay;
  /** Another API on the same database, with connections that nothing disturbs. */
  service: HostedService;
  /** The partner as it calls the relayed API. */
  through(partner: Partner): Partner;
  stop(): Promise<void>;
};

/** Starts both with the lease of production: the tests' own is shorter than a slow answer takes. */
export async function startRelayedApi(): Promise<RelayedApi> {
  const overrides = { CACHE_LEASE_MS: '1000', MAX_ACTIVE_HOLDS: '100000' };
  const service = await hostedService({ overrides });
  const uri = new URL(service.environment['MONGODB_URI'] ?? '');
  const relay = await startTcpRelay(Number(uri.port));
  uri.port = String(relay.port);
  // Otherwise the driver would connect to the address that the replica set names.
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
