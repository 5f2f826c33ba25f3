import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The address of who calls, in its normal form: `named`, which is the nearest one that no trusted proxy has, and where a proxy
 * named something that is no address, that of the connection.
 */
export function clientAddress(named: string | undefined, connection: string | undefined): string | undefined {
  // Written in one way alone.
  if (named !== undefined && isIPv4(named)) return named;
  const address = [named && withoutPort(named), connection].find(
    (each) => each !== undefined && ipaddr.isValid(each),
  );
  return address === undefined ? undefined : ipaddr.process(address).toString();
}

const WITH_PORT = /^(?:\[([\da-f:.]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/i;

/** An address without the brackets and the port that some proxies, Azure's for one, write in `X-Forwarded-For`. */
export function withoutPort(address: string): string {
  const [, ipv6, ipv4] = WITH_PORT.exec(address) ?? [];
  return ipv6 ?? ipv4 ?? address;
}

/**
 * What stands for one client in a limit per address: the IPv4 address, or the first 64 bits of an IPv6 one, of which a
 * single client has all the rest to choose from.
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
