import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { hasPort, type PortRange, WEBHOOK_PORTS } from '../../process/config/port-ranges.rules.ts';
import { BlockedAddressError, UnresolvedHostError } from './delivery-error.rules.ts';
import { isLocalName, isPublicAddress } from './endpoint-address.rules.ts';
import type { ResolveAddresses } from './resolve-addresses.ts';

export type ConnectRules = LookupRules & {
  /** `WEBHOOK_PORTS` unless given. */
  ports?: readonly PortRange[];
};

type LookupRules = {
  /** Development only: also allows plain `http`, any port and addresses that are not public. */
  allowPrivateNetworks: boolean;
  resolve: ResolveAddresses;
};

/** The host of a URL as sockets take it: an IPv6 address without brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Why a URL must not be connected to; checks address literals, for which `net.connect` calls no lookup. */
export function blockedWithoutLookup(
  url: URL,
  { allowPrivateNetworks, ports = WEBHOOK_PORTS }: ConnectRules,
): BlockedAddressError | null {
  if (allowPrivateNetworks) return null;
  if (url.protocol !== 'https:') return new BlockedAddressError('Plain http is for development only.');
  if (!hasPort(ports, Number(url.port || 443))) return new BlockedAddressError('The port is not one of those allowed.');
  const host = hostOf(url);
  if (isLocalName(host)) return new BlockedAddressError('The host is a name of local networks.');
  if (isIP(host) === 0 || isPublicAddress(host)) return null;
  return new BlockedAddressError('The host is an address that is not public.');
}

/**
 * A `lookup` for `net.connect` that returns only checked addresses. If one address of a name is not public it fails
 * with BlockedAddressError, and without any address with UnresolvedHostError.
 */
export function createCheckedLookup(rules: LookupRules): LookupFunction {
  const lookUp = callbackify((hostname: string) => checkedAddresses(hostname, rules));
  return (hostname, options, callback) =>
    lookUp(hostname, (error, addresses) => {
      const answers = (addresses ?? []).map((address) => ({ address, family: isIP(address) }));
      const [first] = answers;
      if (first === undefined) callback(error ?? new UnresolvedHostError('The host has no address.'), '');
      else if (options.all === true) callback(null, answers);
      else callback(null, first.address, first.family);
    });
}

async function checkedAddresses(
  hostname: string,
  { resolve, allowPrivateNetworks }: LookupRules,
): Promise<readonly string[]> {
  const addresses = await resolve(hostname).catch((cause: unknown) => {
    throw new UnresolvedHostError('The host did not resolve.', { cause });
  });
  if (allowPrivateNetworks || addresses.every(isPublicAddress)) return addresses;
  throw new BlockedAddressError('The host resolves to an address that is not public.');
}
