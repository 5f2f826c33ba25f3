import ipaddr from 'ipaddr.js';

/**
 * What stands for one client in a limit per address: the IPv4 address, or the first 64 bits of an IPv6 one, of which a
 * single client has all the rest to choose from. `ip` is the socket's; what a proxy in front says of it is not believed.
 */
export function addressKey(ip: string | undefined): string {
  if (ip === undefined || !ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (!('parts' in address)) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
