import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import type { PortRange } from '../config/port-ranges.rules.ts';
import { hasPort, WEBHOOK_PORTS } from '../config/port-ranges.rules.ts';
import { BlockedAddressError, UnresolvedHostError } from './delivery-error.rules.ts';
import { isLocalName, isPublicAddress } from './endpoint-address.rules.ts';
import type { ResolveAddresses } from './resolve-addresses.ts';

// Node's default of 250 ms gives up on a receiver on another continent and goes on to its next address.
const ADDRESS_ATTEMPT_TIMEOUT_MS = 1_000;

export type ConnectRules = {
  /** Development only: also allows plain `http`, any port and addresses that are not public. */
  allowPrivateNetworks: boolean;
  /** `WEBHOOK_PORTS` unless given. */
  ports?: readonly PortRange[];
  /** Limit of one connection's set-up; the exchange's own deadline normally comes first. */
  timeoutMs: number;
  resolve: ResolveAddresses;
};

/**
 * Makes the `connect` of an undici dispatcher that opens no connection to an address that is not public, whatever DNS
 * said earlier: a name is resolved once for each connection, every response is checked, and the connection goes to the
 * checked responses (so a name that changes its response between check and connect gains nothing). Certificates are always
 * verified. Fails with BlockedAddressError or UnresolvedHostError, or the socket's own error.
 */
export function createCheckedConnect(rules: ConnectRules): buildConnector.connector {
  const connect = buildConnector({
    timeout: rules.timeoutMs,
    lookup: createCheckedLookup(rules),
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch it off.
    rejectUnauthorized: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_TIMEOUT_MS,
  });
  return (options, callback) => {
    const refusal = rules.allowPrivateNetworks ? null : refusalWithoutLookup(options, rules.ports);
    if (refusal === null) connect(options, callback);
    else queueMicrotask(() => callback(refusal, null));
  };
}

/** `net.connect` calls no lookup for an address literal, so literals are checked before it. */
function refusalWithoutLookup(
  { protocol, hostname, port }: buildConnector.Options,
  ports: readonly PortRange[] = WEBHOOK_PORTS,
): BlockedAddressError | null {
  if (protocol !== 'https:') return new BlockedAddressError('Plain http is for development only.');
  if (!hasPort(ports, Number(port || 443)))
    return new BlockedAddressError('The port is not one of those allowed.');
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isLocalName(host)) return new BlockedAddressError('The host is a name of local networks.');
  if (isIP(host) === 0 || isPublicAddress(host)) return null;
  return new BlockedAddressError('The host is an address that is not public.');
}

/**
 * Makes a `lookup` for `net.connect` that answers only with addresses that were all checked: one address that is not
 * public among them refuses the whole name (BlockedAddressError), no response is UnresolvedHostError.
 */
export function createCheckedLookup(rules: Omit<ConnectRules, 'timeoutMs' | 'ports'>): LookupFunction {
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
  { resolve, allowPrivateNetworks }: Omit<ConnectRules, 'timeoutMs' | 'ports'>,
): Promise<readonly string[]> {
  const addresses = await resolve(hostname).catch((cause: unknown) => {
    throw new UnresolvedHostError('The host did not resolve.', { cause });
  });
  if (allowPrivateNetworks || addresses.every(isPublicAddress)) return addresses;
  throw new BlockedAddressError('The host resolves to an address that is not public.');
}
