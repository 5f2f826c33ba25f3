import { setTimeout as delay } from 'node:timers/promises';
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { type RedisHost, redisAddress } from './redis-address.rules.ts';

export const CONNECT_TIMEOUT_MS = 2000;

/** A connection to a server, to the master that sentinels name, or to a cluster. */
export type RedisConnection = Redis | Cluster;

type ServerOptions = Pick<
  RedisOptions,
  | 'enableOfflineQueue'
  | 'enableAutoPipelining'
  | 'autoResendUnfulfilledCommands'
  | 'maxRetriesPerRequest'
  | 'reconnectOnError'
  | 'socketTimeout'
>;

const RETRY_INFO_MS = 100;

type ClusterSettings = Omit<ClusterOptions, 'redisOptions'> & {
  redisOptions: Omit<NonNullable<ClusterOptions['redisOptions']>, 'replyMapping'>;
};

/**
 * Repeats INFO until it succeeds: BullMQ asks once, and a cluster client drops its pending commands when the last node
 * disconnects.
 */
class PatientCluster extends Cluster {
  #isGivenUp = false;

  constructor(nodes: RedisHost[], options: ClusterSettings) {
    super(nodes, options);
    const infoOnce = this.info.bind(this);
    this.info = async () => {
      for (;;) {
        try {
          return await infoOnce();
        } catch (err) {
          if (this.#isGivenUp || this.status === 'end') throw err;
          await delay(RETRY_INFO_MS, undefined, { ref: false });
        }
      }
    };
    this.duplicate = ((_nodes: unknown, overrides: object) =>
      new PatientCluster(nodes, { ...options, ...overrides })) as Cluster['duplicate'];
  }

  override disconnect(reconnect = false): void {
    this.#isGivenUp ||= !reconnect;
    super.disconnect(reconnect);
  }
}

/** `serverOptions`: for the connection to each server. `clusterOptions`: further options for a cluster as a whole. */
export function connect(
  url: string,
  serverOptions: ServerOptions,
  clusterOptions: Pick<ClusterOptions, 'retryDelayOnFailover'> = {},
) {
  const address = redisAddress(url);
  const connecting = { connectTimeout: CONNECT_TIMEOUT_MS, retryStrategy: reconnectDelayMs };
  if (address.kind === 'server') return new Redis(url, { ...connecting, ...serverOptions });
  const { isEncrypted, hosts, username, password } = address;
  const signIn = { ...(username && { username }), ...(password && { password }) };
  if (address.kind === 'sentinel') {
    const { username: sentinelUsername, password: sentinelPassword } = address.sentinelCredentials;
    return new Redis({
      ...connecting,
      ...serverOptions,
      ...signIn,
      sentinels: hosts,
      name: address.master,
      db: address.db,
      ...(sentinelUsername && { sentinelUsername }),
      ...(sentinelPassword && { sentinelPassword }),
      sentinelRetryStrategy: reconnectDelayMs,
      sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
      ...(isEncrypted && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
    });
  }
  const { enableOfflineQueue = true, enableAutoPipelining = false, ...nodeOptions } = serverOptions;
  return new PatientCluster(hosts, {
    enableOfflineQueue,
    enableAutoPipelining,
    clusterRetryStrategy: reconnectDelayMs,
    // Keep host names: certificates are issued for names.
    dnsLookup: (host, callback) => callback(null, host),
    redisOptions: {
      ...nodeOptions,
      ...signIn,
      connectTimeout: CONNECT_TIMEOUT_MS,
      ...(isEncrypted && { tls: {} }),
    },
    ...clusterOptions,
  });
}

function reconnectDelayMs(attempts: number): number {
  return Math.min(attempts * 100, 1000);
}
