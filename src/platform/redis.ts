import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterOptions, RedisOptions } from 'ioredis';
import { Cluster, Redis } from 'ioredis';
import { withDeadline } from './deadline.ts';
import type { Logger } from './logger.ts';
import type { RedisHost } from './redis-address.rules.ts';
import { redisAddress } from './redis-address.rules.ts';

const QUIT_TIMEOUT_MS = 1000;
const CONNECT_TIMEOUT_MS = 2000;
const RETRY_INFO_MS = 100;
/**
 * A connection on which nothing arrives for so long is replaced: where the network swallows packets, or has forgotten the
 * connection, nothing else would end it for a quarter of an hour or more. A worker's waits for jobs up to 10 s at a time.
 */
const PRODUCER_SILENCE_MS = 5000;
const WORKER_SILENCE_MS = 14_000;

/**
 * What a server answers that is not the master any more, or not yet. Behind an address that moves from one server to another, old
 * connections stay with the demoted one: only a new one leads to its successor.
 */
const NOT_THE_MASTER = /^(?:READONLY|LOADING|MASTERDOWN|UNBLOCKED)\b/;
/** The 2 is ioredis's way to say that the command is sent again. */
const reconnectAndRepeat = (err: Error): false | 2 => NOT_THE_MASTER.test(err.message) && 2;

/** The codes with which a Redis that answers takes no writes. */
export const WRITE_REFUSALS = ['OOM', 'READONLY', 'MISCONF', 'NOREPLICAS', 'NOPERM'];

/** A server that stays so is asked between reconnections, so that its refusals are seen. */
const RECONNECT_EVERY_MS = 1000;

function reconnectAndReject(): (err: Error) => boolean {
  let latestMs = Number.NEGATIVE_INFINITY;
  return ({ message }) => {
    if (!NOT_THE_MASTER.test(message) || performance.now() - latestMs < RECONNECT_EVERY_MS) return false;
    latestMs = performance.now();
    return true;
  };
}

/** A server or the master that sentinels name, which the client follows; or a cluster. */
export type RedisConnection = Redis | Cluster;

/**
 * A connection for producers: it fails at once while Redis is away instead of queueing commands, and reconnects by
 * itself. What was sent without a reply is sent again then, however long that takes: each queue of BullMQ asks for Redis's
 * version once, and is of no use any more where that fails. Nothing on the request path may await it without a bound (ADR 0009).
 */
export function createProducerRedis(url: string, log: Logger): RedisConnection {
  const redis = connect(url, {
    enableOfflineQueue: false,
    // Not BullMQ's skipVersionCheck instead: it then looks for a job's state as Redis 5 must, in every waiting job.
    maxRetriesPerRequest: null,
    reconnectOnError: reconnectAndReject(),
    socketTimeout: PRODUCER_SILENCE_MS,
  });
  logOutages(redis, log);
  return redis;
}

/**
 * A connection for counting calls: a command fails with its connection and is never repeated, and a connection on which
 * nothing arrives for 2 s is replaced. Its outages are logged by whoever counts, once there is something to count.
 */
export function createLimiterRedis(url: string): RedisConnection {
  const redis = connect(
    url,
    {
      enableOfflineQueue: false,
      // What is counted in one turn of the event loop leaves in one write.
      enableAutoPipelining: true,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      reconnectOnError: reconnectAndReject(),
      socketTimeout: 2000,
    },
    { retryDelayOnFailover: 0 },
  );
  redis.on('error', () => undefined);
  return redis;
}

/** A connection for a worker: its commands wait until Redis is there. */
export function createWorkerRedis(url: string, log: Logger): RedisConnection {
  const redis = connect(url, {
    maxRetriesPerRequest: null,
    reconnectOnError: reconnectAndRepeat,
    socketTimeout: WORKER_SILENCE_MS,
  });
  logOutages(redis, log);
  return redis;
}

/**
 * What `ask` returns of a Redis, as soon as it responds, on a connection that is gone then.
 * @throws what `ask` throws, or Error where `signal` aborts first
 */
export async function askOnce<T>(
  url: string,
  signal: AbortSignal,
  ask: (redis: RedisConnection) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const redis = connect(url, { maxRetriesPerRequest: null });
  // Outages are logged by the connections that stay.
  redis.on('error', () => undefined);
  const end = () => redis.disconnect();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await ask(redis);
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

/**
 * What each server says of itself (INFO): the one server; the master that sentinels name and its replicas; or the nodes of a cluster.
 * One that cannot be reached beside others is left out.
 * @throws Error where Redis responds with an error
 */
export async function readRedisInfos(redis: RedisConnection): Promise<string[]> {
  const info = await redis.info();
  if (redis instanceof Cluster) return infosOfNodes(redis, CONNECT_TIMEOUT_MS);
  const isWatched = (redis.options.sentinels ?? []).length > 0;
  const replicas = isWatched ? replicasIn(info).map((host) => infoOf(redis, host)) : [];
  return [info, ...(await fulfilled(replicas))];
}

/**
 * What those servers say of themselves (INFO) that `redis` is connected to: the one server, the master that sentinels name, or the
 * nodes of a cluster. A node that fails beside others, or does not respond within `timeoutMs`, is left out.
 */
export async function connectedInfos(redis: RedisConnection, timeoutMs: number): Promise<string[]> {
  return redis instanceof Cluster ? infosOfNodes(redis, timeoutMs) : [await redis.info()];
}

/** @throws Error where none responds */
async function infosOfNodes(cluster: Cluster, timeoutMs: number): Promise<string[]> {
  const infos = await fulfilled(cluster.nodes().map((node) => withDeadline(timeoutMs, () => node.info())));
  if (infos.length === 0) throw new Error('No node of the cluster responded');
  return infos;
}

async function fulfilled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(promises);
  return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

/** The replicas that a master names in its INFO. */
function replicasIn(info: string): RedisHost[] {
  const lines = info.matchAll(/^slave\d+:ip=([^,]+),port=(\d+),/gm);
  return [...lines].map(([, host = '', port]) => ({ host, port: Number(port) }));
}

async function infoOf({ options }: Redis, { host, port }: RedisHost): Promise<string> {
  const { username, password, tls } = options;
  const redis = new Redis({
    ...{ host, port, connectTimeout: CONNECT_TIMEOUT_MS, commandTimeout: CONNECT_TIMEOUT_MS },
    ...{
      ...(username && { username }),
      ...(password && { password }),
      ...(tls && { tls }),
      retryStrategy: null,
    },
  });
  redis.on('error', () => undefined);
  try {
    return await redis.info();
  } finally {
    redis.disconnect();
  }
}

/** Ends the connection whatever its state, also where Redis does not respond; never throws. */
export async function closeRedis(redis: RedisConnection): Promise<void> {
  if (redis.status === 'ready') {
    await Promise.race([
      redis.quit().catch(() => undefined),
      delay(QUIT_TIMEOUT_MS, undefined, { ref: false }),
    ]);
  }
  redis.disconnect();
}

type ServerOptions = Pick<
  RedisOptions,
  | 'enableOfflineQueue'
  | 'enableAutoPipelining'
  | 'autoResendUnfulfilledCommands'
  | 'maxRetriesPerRequest'
  | 'reconnectOnError'
  | 'socketTimeout'
>;

type ClusterSettings = Omit<ClusterOptions, 'redisOptions'> & {
  redisOptions: Omit<NonNullable<ClusterOptions['redisOptions']>, 'replyMapping'>;
};

/** `ofServer` is of the connection to each server, `ofCluster` beside it of one to a cluster. */
function connect(
  url: string,
  ofServer: ServerOptions,
  ofCluster: Pick<ClusterOptions, 'retryDelayOnFailover'> = {},
): RedisConnection {
  const address = redisAddress(url);
  const connecting = { connectTimeout: CONNECT_TIMEOUT_MS, retryStrategy: reconnectDelayMs };
  if (address.kind === 'server') return new Redis(url, { ...connecting, ...ofServer });
  const { isEncrypted, hosts, username, password } = address;
  const signIn = { ...(username && { username }), ...(password && { password }) };
  if (address.kind === 'sentinel') {
    const { username: sentinelUsername, password: sentinelPassword } = address.ofSentinels;
    return new Redis({
      ...{ ...connecting, ...ofServer, ...signIn, sentinels: hosts, name: address.master, db: address.db },
      ...{ ...(sentinelUsername && { sentinelUsername }), ...(sentinelPassword && { sentinelPassword }) },
      ...{ sentinelRetryStrategy: reconnectDelayMs, sentinelCommandTimeout: CONNECT_TIMEOUT_MS },
      ...(isEncrypted && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
    });
  }
  const { enableOfflineQueue = true, enableAutoPipelining = false, ...ofNode } = ofServer;
  return new PatientCluster(hosts, {
    ...{ enableOfflineQueue, enableAutoPipelining, clusterRetryStrategy: reconnectDelayMs },
    // A certificate is for the name that stands in the address.
    dnsLookup: (host, callback) => callback(null, host),
    redisOptions: {
      ...{ ...ofNode, ...signIn, connectTimeout: CONNECT_TIMEOUT_MS },
      ...(isEncrypted && { tls: {} }),
    },
    ...ofCluster,
  });
}

/**
 * A cluster that is asked for its version until it answers or is given up: a server's client repeats what was sent
 * (`maxRetriesPerRequest`), a cluster's drops it when the last node goes, and BullMQ asks once.
 */
class PatientCluster extends Cluster {
  #isGivenUp = false;

  constructor(nodes: RedisHost[], options: ClusterSettings) {
    super(nodes, options);
    const once = this.info.bind(this);
    this.info = async () => {
      for (;;) {
        try {
          return await once();
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

function reconnectDelayMs(attempts: number): number {
  return Math.min(attempts * 100, 1000);
}

/** One line when Redis goes and one when it is back, not one for each reconnection tried. */
function logOutages(redis: RedisConnection, log: Logger): void {
  let isAway = false;
  let ofHost: string | undefined;
  const noteHost = (err: Error) => {
    ofHost = err.message;
  };
  // What one of several hosts said, of which the error that follows names none.
  redis.on('sentinelError', noteHost).on('node error', noteHost);
  redis.on('error', (err: Error) => {
    const error = ofHost === undefined ? err.message : `${err.message} ${ofHost}`;
    if (!isAway) log.warn({ error }, 'waiting for Redis: it cannot be reached');
    isAway = true;
  });
  redis.on('ready', () => {
    if (isAway) log.info('Redis is reachable again');
    isAway = false;
    ofHost = undefined;
  });
}
