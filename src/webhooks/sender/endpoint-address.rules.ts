import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { formatPortRanges, hasPort, type PortRange, WEBHOOK_PORTS } from '../../process/config/port-ranges.rules.ts';

export type EndpointRules = {
  /** Development only: also allows plain `http`, any port and hosts in private networks. */
  allowPrivateNetworks: boolean;
  /** Default: `WEBHOOK_PORTS`. */
  ports?: readonly PortRange[];
};

const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Services inside a provider's network that trust every caller, at addresses that look public. Other known services
 * (169.254.169.254 and its like, 100.100.100.200, 192.0.0.192, fd00:ec2::254) lie in ranges that are not public.
 */
const PROVIDER_SERVICES = [
  '168.63.129.16/32', // Azure: WireServer, DNS and health probes
  '192.80.8.124/32', // Equinix Metal: metadata
  '161.26.0.0/16', // IBM Cloud: services of its private network
  '166.8.0.0/14', // IBM Cloud: service endpoints of its private network
  '199.36.153.4/30', // Google Cloud: APIs for its networks alone (restricted.googleapis.com)
  '199.36.153.8/30', // Google Cloud: APIs for its networks alone (private.googleapis.com)
].map((range) => ipaddr.IPv4.parseCIDR(range));

/**
 * Whether a text is an IP address (without brackets) of the public internet.
 *
 * Only global unicast addresses are public. The IANA special-purpose ranges (RFC 6890) are not: private, loopback,
 * link-local, shared (CGNAT), documentation, benchmarking, multicast, broadcast and reserved, and in IPv6 everything
 * outside 2000::/3. Addresses that embed an IPv4 address (v4-mapped, v4-compatible, NAT64, 6to4, Teredo) are not,
 * because a translator could make them private. PROVIDER_SERVICES are not public either.
 */
export function isPublicAddress(ip: string): boolean {
  if (isIP(ip) === 0) return false;
  const address = ipaddr.parse(ip);
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6) return address.match(GLOBAL_UNICAST_V6);
  return !PROVIDER_SERVICES.some((range) => address.match(range));
}

/** Whether a host name exists only in local networks (RFC 6761, RFC 6762, and `internal`). */
function isLocalName(host: string): boolean {
  return /(^|\.)(localhost|local|internal)\.?$/.test(host);
}

/** The host of a URL as sockets take it: an IPv6 address without brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** The fault of a URL's scheme, fragment or port, in words that follow the field's name; null if there is none. */
export function urlFault(url: URL, { allowPrivateNetworks, ports = WEBHOOK_PORTS }: EndpointRules): string | null {
  if (url.protocol !== 'https:' && !(allowPrivateNetworks && url.protocol === 'http:')) {
    return 'must start with https://; deliveries are not sent over an unencrypted connection.';
  }
  // `url.hash` is empty for a bare "#"; in a serialised URL "#" always begins a fragment.
  if (url.href.includes('#')) return 'must not contain a fragment (the part from "#" on).';
  if (url.port === '0') return 'names port 0, which cannot be connected to; use 1 to 65535.';
  const port = url.port === '' ? 443 : Number(url.port);
  if (!allowPrivateNetworks && !hasPort(ports, port)) {
    return `names port ${port}, to which nothing is delivered; use one of ${formatPortRanges(ports)}.`;
  }
  return null;
}

/** Like `urlFault`, for the host alone, without a look-up. */
export function hostFault(url: URL, { allowPrivateNetworks }: EndpointRules): string | null {
  if (allowPrivateNetworks) return null;
  const host = hostOf(url).replace(/\.$/, '');
  if (isIP(host) !== 0) {
    return isPublicAddress(host) ? null : `points to ${host}, which is not a public address; use a public host.`;
  }
  if (host !== '' && !isLocalName(host)) return null;
  return `names the host "${host}", which exists only in a local network; use a public host name.`;
}
