import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Services inside a provider's network that trust every caller, at addresses that look public. Other known ones
 * (169.254.169.254 and its like, 100.100.100.200, 192.0.0.192, fd00:ec2::254) lie in ranges that are not public anyway.
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
 * Only global unicast is. The IANA special-purpose ranges (RFC 6890) are not: private, loopback, link-local, shared
 * (CGNAT), documentation, benchmarking, multicast, broadcast and reserved, and in IPv6 everything outside 2000::/3.
 * Addresses that embed an IPv4 address (v4-mapped, v4-compatible, NAT64, 6to4, Teredo) are not, because a translator
 * could turn them into a private one. Services of cloud providers at public addresses (PROVIDER_SERVICES) are not
 * either.
 */
export function isPublicAddress(ip: string): boolean {
  if (isIP(ip) === 0) return false;
  const address = ipaddr.parse(ip);
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6) return address.match(GLOBAL_UNICAST_V6);
  return !PROVIDER_SERVICES.some((range) => address.match(range));
}

/** Whether a host name exists only in local networks (RFC 6761, RFC 6762, and `internal`). */
export function isLocalName(host: string): boolean {
  return /(^|\.)(localhost|local|internal)\.?$/.test(host);
}
