import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Tells whether an IP address (as DNS or a parsed URL gives it, without brackets) is one of the public internet.
 *
 * Only global unicast is. Everything that the IANA special-purpose registries (RFC 6890) set apart is not: private,
 * loopback, link-local, shared (CGNAT), documentation, benchmarking, multicast, broadcast and reserved ranges, and in
 * IPv6 whatever lies outside 2000::/3. Addresses that carry an IPv4 address inside (v4-mapped, v4-compatible, NAT64,
 * 6to4, Teredo) are refused as a class, because a translator on the way could turn them into a private one.
 * Anything that is not an IP address is not public either.
 */
export function isPublicAddress(ip: string): boolean {
  if (isIP(ip) === 0) return false;
  const address = ipaddr.parse(ip);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST_V6);
}

/** Whether a host name is one of those that exist in local networks alone (RFC 6761, RFC 6762, and `internal`). */
export function isLocalName(host: string): boolean {
  return /(^|\.)(localhost|local|internal)\.?$/.test(host);
}
