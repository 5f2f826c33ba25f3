import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Inside a provider's network, services that trust whoever reaches them, at addresses that look public. The others that are
 * known (169.254.169.254 and its like, 100.100.100.200, 192.0.0.192, fd00:ec2::254) lie in ranges that are refused anyway.
 */
const PROVIDER_SERVICES = [
  '168.63.129.16/32', // Azure: WireServer, DNS and health probes
  '192.80.8.124/32', // Equinix Metal: metadata
  '161.26.0.0/16', // IBM Cloud: services of its private network
  '166.8.0.0/14', // IBM Cloud: service endpoints of its private network
  '199.36.153.4/30', // Google Cloud: APIs for its networks alone (restricted.googleapis.com)
  '199.36.153.8/30', // Google Cloud: the same (private.googleapis.com)
].map((range) => ipaddr.IPv4.parseCIDR(range));

/**
 * Whether an IP address (as DNS or a parsed URL gives it, without brackets) is one of the public internet.
 *
 * Only global unicast is. Everything that the IANA special-purpose registries (RFC 6890) set apart is not: private,
 * loopback, link-local, shared (CGNAT), documentation, benchmarking, multicast, broadcast and reserved ranges, and in
 * IPv6 whatever lies outside 2000::/3. Addresses that carry an IPv4 address inside (v4-mapped, v4-compatible, NAT64,
 * 6to4, Teredo) are refused as a class, because a translator on the way could turn them into a private one. Refused too are
 * the services of cloud providers that have public addresses (PROVIDER_SERVICES).
 * Anything that is not an IP address is not public either.
 */
export function isPublicAddress(ip: string): boolean {
  if (isIP(ip) === 0) return false;
  const address = ipaddr.parse(ip);
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6) return address.match(GLOBAL_UNICAST_V6);
  return !PROVIDER_SERVICES.some((range) => address.match(range));
}

/** Whether a host name is one of those that exist in local networks alone (RFC 6761, RFC 6762, and `internal`). */
export function isLocalName(host: string): boolean {
  return /(^|\.)(localhost|local|internal)\.?$/.test(host);
}
