import { redisAddress } from '../../platform/redis-address.rules.ts';
import type { Config } from './settings.ts';

/** The options of a MongoDB URI: names and values in lower case, as the driver reads them. */
function mongodbOptions(uri: string): [name: string, value: string][] {
  const query = new URLSearchParams(uri.split('?', 2)[1] ?? '');
  return [...query].map(([name, value]) => [name.toLowerCase(), value.toLowerCase()]);
}

export const isDirectConnection = (uri: string): boolean =>
  mongodbOptions(uri).some(([name, value]) => name === 'directconnection' && value === 'true');

/** The only allowed values of these options: with other values, acknowledged writes could be lost or missed. */
const REQUIRED_VALUES: ReadonlyMap<string, string> = new Map([
  ['w', 'majority'],
  ['journal', 'true'],
  ['j', 'true'],
  ['fsync', 'true'],
  ['readconcernlevel', 'majority'],
  ['readpreference', 'primary'],
  ['retrywrites', 'true'],
]);

export function mongodbFaults(uri: string): string[] {
  return mongodbOptions(uri)
    .filter(([name, value]) => REQUIRED_VALUES.has(name) && REQUIRED_VALUES.get(name) !== value)
    .map(
      ([name]) =>
        `MONGODB_URI must not set ${name} to anything but ${REQUIRED_VALUES.get(name)}: acknowledged writes could be lost or missed; remove the option`,
    );
}

/** A store with an insecure connection: strangers could read, change or open it. The setting `optOut` accepts that. */
type InsecureStore = { setting: string; optOut: string; weakness: string; isAccepted: boolean };

type StoreSettings = Partial<Pick<Config, 'mongodbUri' | 'redisUrl' | 'mongodbAllowInsecure' | 'redisAllowInsecure'>>;

export function insecureStores({
  mongodbUri,
  redisUrl,
  mongodbAllowInsecure = false,
  redisAllowInsecure = false,
}: StoreSettings): InsecureStore[] {
  const stores = [
    {
      setting: 'MONGODB_URI',
      optOut: 'MONGODB_ALLOW_INSECURE',
      weakness: mongodbUri === undefined ? '' : weaknessesOfMongodb(mongodbUri).join(', '),
      isAccepted: mongodbAllowInsecure,
    },
    {
      setting: 'REDIS_URL',
      optOut: 'REDIS_ALLOW_INSECURE',
      weakness: redisUrl === undefined ? '' : weaknessesOfRedis(redisUrl).join(', '),
      isAccepted: redisAllowInsecure,
    },
  ];
  return stores.filter(({ weakness }) => weakness !== '');
}

/** Options that make the driver accept any certificate. */
const UNVERIFIED: ReadonlyMap<string, string> = new Map([
  ['tlsinsecure', 'true'],
  ['tlsallowinvalidcertificates', 'true'],
  ['tlsallowinvalidhostnames', 'true'],
  ['sslvalidate', 'false'],
]);

function weaknessesOfMongodb(uri: string): string[] {
  const options = mongodbOptions(uri);
  const tls = options.findLast(([name]) => name === 'tls' || name === 'ssl')?.[1];
  const isEncrypted = tls === undefined ? uri.startsWith('mongodb+srv:') : tls === 'true';
  const unverifiedOptions = options.filter(([name, value]) => UNVERIFIED.get(name) === value);
  const hasUser = /^[^/]*\/\/[^/?@]+@/.test(uri) || options.some(([name]) => name === 'authmechanism');
  return [
    ...(isEncrypted ? [] : ['uses no TLS (tls=true)']),
    ...unverifiedOptions.map(([name]) => `accepts any certificate (${name})`),
    ...(hasUser ? [] : ['has no user name']),
  ];
}

/** The weaknesses of a connection to Redis; its client always verifies certificates. */
function weaknessesOfRedis(url: string): string[] {
  const address = redisAddress(url);
  const scheme = address.kind === 'server' ? 'rediss' : `rediss+${address.kind}`;
  const isOpenSentinel = address.kind === 'sentinel' && address.sentinelCredentials.password === undefined;
  return [
    ...(address.isEncrypted ? [] : [`uses no TLS (${scheme}://)`]),
    ...(address.password === undefined ? ['has no password'] : []),
    ...(isOpenSentinel ? ['has no password of the sentinels (sentinel_password)'] : []),
  ];
}
