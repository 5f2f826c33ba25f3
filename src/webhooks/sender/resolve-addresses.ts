import { lookup, Resolver } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isDefiniteAbsence } from './delivery-error.rules.ts';

/**
 * Finds every IP address of a host name, IPv4 or IPv6 in text form. Rejects when there is none: with the code ENOTFOUND or ENODATA
 * where that is certain, with another where it could not be found out just now.
 */
export type ResolveAddresses = (hostname: string) => Promise<readonly string[]>;

/** Of one name server, for the first of two tries. */
const SERVER_TIMEOUT_MS = 1_000;
/** How long the addresses of one family wait for those of the other, which some name servers never answer (RFC 8305, 3). */
const OTHER_FAMILY_MS = 250;

/**
 * How the names of endpoints become addresses (ADR 0012). Where only public hosts may be called, by the name servers alone; in
 * development by the system, hosts file included, since private names are in no DNS.
 */
export function resolverFor({ allowPrivateNetworks }: { allowPrivateNetworks: boolean }): ResolveAddresses {
  return allowPrivateNetworks ? resolveBySystem : createNameServerResolver();
}

async function resolveBySystem(hostname: string): Promise<readonly string[]> {
  const answers = await lookup(hostname, { all: true, order: 'verbatim' });
  return answers.map((answer) => answer.address);
}

/**
 * {@link ResolveAddresses} by `servers`, those of the system unless given. It waits for them on the event loop: the system's way
 * takes a thread for as long as they are silent, of the few from which this process's databases are resolved as well.
 */
export function createNameServerResolver(servers?: readonly string[]): ResolveAddresses {
  return async (hostname) => {
    // Made anew, so that a change of the system's name servers is noticed.
    const resolver = new Resolver({ timeout: SERVER_TIMEOUT_MS, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const families = [resolver.resolve4(hostname), resolver.resolve6(hostname)];
    await Promise.any(families).catch(({ errors }: AggregateError) => {
      throw (errors.find((failure) => !isDefiniteAbsence(failure)) ?? errors[0]) as Error;
    });
    const late = delay(OTHER_FAMILY_MS, [], { ref: false });
    const found = await Promise.all(families.map((family) => Promise.race([family.catch(() => []), late])));
    resolver.cancel();
    return found.flat();
  };
}
