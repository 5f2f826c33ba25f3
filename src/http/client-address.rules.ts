import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The caller's normalised address: from a trusted proxy's header, else from the connection. */
export function clientAddress(forwarded: string | undefined, connection: string | undefined): string | undefined {
  // IPv4 has only one form.
  if (forwarded !== undefined && isIPv4(forwarded)) return forwarded;
  const candidates = [forwarded && withoutPort(forwarded), connection];
  const address = candidates.find((each) => each !== undefined && ipaddr.isValid(each));
  return address === undefined ? undefined : ipaddr.process(address).toString();
}

const WITH_PORT = /^(?:\[([\da-f:.]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/i;

/** An address without the brackets and port that some proxies, such as Azure's, write in `X-Forwarded-For`. */
export function withoutPort(address: string): string {
  const [, ipv6, ipv4] = WITH_PORT.exec(address) ?? [];
  return ipv6 ?? ipv4 ?? address;
}

/**
 * The key under which a limit counts an address: an IPv4 address, or the first 64 bits of an IPv6 address, because a
 * client chooses its other bits.
 */
export function addressKey(ip: string | undefined): string {
  if (ip !== undefined && isIPv4(ip)) return ip;
  if (ip === undefined || !ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (!('parts' in address)) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
