import { redisAddress } from '../../platform/redis-address.rules.ts';

/** Names and values of the options of a MongoDB URI in lower case, as the driver reads them. */
export function mongodbOptions(uri: string): [name: string, value: string][] {
  const query = new URLSearchParams(uri.split('?', 2)[1] ?? '');
  return [...query].map(([name, value]) => [name.toLowerCase(), value.toLowerCase()]);
}

/** What makes the driver take a certificate that anybody can make. */
const UNVERIFIED: ReadonlyMap<string, string> = new Map([
  ['tlsinsecure', 'true'],
  ['tlsallowinvalidcertificates', 'true'],
  ['tlsallowinvalidhostnames', 'true'],
  ['sslvalidate', 'false'],
]);

/** How somebody between could read or change what is said to MongoDB, or anybody reach it: parts of a sentence. */
export function weaknessesOfMongodb(uri: string): string[] {
  const options = mongodbOptions(uri);
  const tls = options.findLast(([name]) => name === 'tls' || name === 'ssl')?.[1];
  const isEncrypted = tls === undefined ? uri.startsWith('mongodb+srv:') : tls === 'true';
  const unverified = options.filter(([name, value]) => UNVERIFIED.get(name) === value);
  const hasUser = /^[^/]*\/\/[^/?@]+@/.test(uri) || options.some(([name]) => name === 'authmechanism');
  return [
    ...(isEncrypted ? [] : ['uses no TLS (tls=true)']),
    ...unverified.map(([name]) => `accepts any certificate (${name})`),
    ...(hasUser ? [] : ['has no user name']),
  ];
}

/** The same of Redis; its client verifies certificates whatever the address says. */
export function weaknessesOfRedis(url: string): string[] {
  const address = redisAddress(url);
  const scheme = address.kind === 'server' ? 'rediss' : `rediss+${address.kind}`;
  const isOpenSentinel = address.kind === 'sentinel' && address.ofSentinels.password === undefined;
  return [
    ...(address.isEncrypted ? [] : [`uses no TLS (${scheme}://)`]),
    ...(address.password === undefined ? ['has no password'] : []),
    ...(isOpenSentinel ? ['has no password of the sentinels (sentinel_password)'] : []),
  ];
}
