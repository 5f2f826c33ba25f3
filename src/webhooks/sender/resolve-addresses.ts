import { lookup, Resolver } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isDefiniteAbsence } from './delivery-error.rules.ts';

/**
 * Finds every IP address of a host name, IPv4 or IPv6 in text form. Rejects with ENOTFOUND or ENODATA if the name has
 * no address, and with another code if no server answers.
 */
export type ResolveAddresses = (hostname: string) => Promise<readonly string[]>;

/** Timeout of the first of two tries at each name server. */
const SERVER_TIMEOUT_MS = 1_000;
/** How long to wait for the second family (IPv4 or IPv6): some name servers never send its addresses (RFC 8305, 3). */
const SECOND_FAMILY_WAIT_MS = 250;

/**
 * How the names of endpoints are resolved (ADR 0012): by name servers only; in development, where private names must
 * work, by the system with its hosts file.
 */
export function resolverFor({ allowPrivateNetworks }: { allowPrivateNetworks: boolean }): ResolveAddresses {
  return allowPrivateNetworks ? resolveBySystem : createNameServerResolver();
}

async function resolveBySystem(hostname: string): Promise<readonly string[]> {
  const answers = await lookup(hostname, { all: true, order: 'verbatim' });
  return answers.map((answer) => answer.address);
}

/** Resolves by name servers on the event loop: the system's resolver would block threads that the databases need. */
export function createNameServerResolver(servers?: readonly string[]): ResolveAddresses {
  return async (hostname) => {
    // A new resolver for each name, so that a change of the system's name servers takes effect.
    const resolver = new Resolver({ timeout: SERVER_TIMEOUT_MS, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const lookups = [resolver.resolve4(hostname), resolver.resolve6(hostname)];
    await Promise.any(lookups).catch(({ errors }: AggregateError) => {
      throw (errors.find((failure) => !isDefiniteAbsence(failure)) ?? errors[0]) as Error;
    });
    const none = delay(SECOND_FAMILY_WAIT_MS, [], { ref: false });
    const addresses = await Promise.all(lookups.map((each) => Promise.race([each.catch(() => []), none])));
    resolver.cancel();
    return addresses.flat();
  };
}
