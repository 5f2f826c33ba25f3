/** The process must stop. The message says why and what to do; it is logged without a stack. */
export class Refusal extends Error {}

/** A server that is too old or configured so that the guarantees do not hold. The message says what to do. */
export class UnsupportedServerError extends Refusal {
  override readonly name = 'UnsupportedServerError';
}

export type Hello = { setName?: string; isreplicaset?: boolean; msg?: string; maxWireVersion?: number };

/** The wire version of MongoDB 6.0, reported before signing in. */
const MIN_WIRE_VERSION = 17;

const MAKE_REPLICA_SET =
  'One node is enough: start it with --replSet rs0, run rs.initiate() once in mongosh, and end MONGODB_URI in ?replicaSet=rs0.';

const ROUTER_NOT_SUPPORTED =
  'This MongoDB is a router (mongos) of a sharded cluster, which is not supported (docs/adr/0019): its own clock would decide what is due. Name a replica set in MONGODB_URI.';

/** @throws UnsupportedServerError for a router, a standalone mongod, a version before 6.0 or another replica set */
export function requireSupportedMongod(hello: Hello, uri: string): void {
  if (hello.msg === 'isdbgrid') throw new UnsupportedServerError(ROUTER_NOT_SUPPORTED);
  const isInReplicaSet = hello.setName !== undefined || hello.isreplicaset === true;
  if (!isInReplicaSet) throw new UnsupportedServerError(`This MongoDB is not a replica set. ${MAKE_REPLICA_SET}`);
  if ((hello.maxWireVersion ?? 0) < MIN_WIRE_VERSION)
    throw new UnsupportedServerError('This MongoDB is older than 6.0. Upgrade it to 6.0 or newer.');
  const wantedSet = /[?&]replicaSet=([^&]*)/i.exec(uri)?.[1];
  if (wantedSet !== undefined && hello.setName !== undefined && hello.setName !== decodeURIComponent(wantedSet)) {
    throw new UnsupportedServerError(
      `MONGODB_URI names the replica set ${wantedSet}, and this MongoDB belongs to ${hello.setName}. Set replicaSet=${hello.setName} in MONGODB_URI.`,
    );
  }
}

/** Whether this MongoDB belongs to a replica set that is not initiated yet. */
export function isUninitiated(hello: Hello): boolean {
  return hello.setName === undefined && hello.isreplicaset === true;
}

/** The address of the first host alone; undefined if only the DNS knows the hosts. */
export function directUri(uri: string): string | undefined {
  const [, scheme, host, path = '/', query = ''] =
    /^(mongodb:\/\/(?:[^@/]*@)?)([^,/?]+)[^/?]*(\/[^?]*)?(?:\?(.*))?$/.exec(uri) ?? [];
  if (scheme === undefined || host === undefined) return undefined;
  const options = query.split('&').filter((each) => !/^(replicaSet|directConnection|loadBalanced)=|^$/i.test(each));
  return `${scheme}${host}${path}?${[...options, 'directConnection=true'].join('&')}`;
}

const MIN_REDIS_VERSION: readonly [major: number, minor: number] = [6, 2];

/** A field of INFO; undefined if missing. */
export const infoField = (info: string, name: string): string | undefined =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];

/** Whether a Redis writes its data to an append-only file, by its INFO; undefined if INFO does not say. */
export function isPersistent(info: string): boolean | undefined {
  const isEnabled = infoField(info, 'aof_enabled');
  return isEnabled === undefined ? undefined : isEnabled !== '0';
}

/** The faults of a Redis according to its INFO, each with the fix. `isCluster`: whether REDIS_URL names a cluster. */
export function redisFaults(info: string, isCluster = false): string[] {
  const field = (name: string) => infoField(info, name);
  const policy = field('maxmemory_policy');
  const version = field('redis_version');
  const [major = 0, minor = 0] = (version ?? MIN_REDIS_VERSION.join('.')).split('.').map(Number);
  const isOld = major < MIN_REDIS_VERSION[0] || (major === MIN_REDIS_VERSION[0] && minor < MIN_REDIS_VERSION[1]);
  return [
    ...(policy !== undefined && policy !== 'noeviction'
      ? [`It evicts keys (${policy}), which loses jobs: set maxmemory-policy noeviction.`]
      : []),
    ...(field('cluster_enabled') === '1' && !isCluster
      ? ['It is one node of a cluster: begin REDIS_URL with redis+cluster:// (with TLS rediss+cluster://).']
      : []),
    ...(isOld ? [`It is ${version}: upgrade it to ${MIN_REDIS_VERSION.join('.')} or newer.`] : []),
  ];
}
