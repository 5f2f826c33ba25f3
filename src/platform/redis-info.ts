import { Cluster, Redis } from 'ioredis';
import { withTimeout } from './deadline.ts';
import type { RedisHost } from './redis-address.rules.ts';
import { CONNECT_TIMEOUT_MS, type RedisConnection } from './redis-client.ts';

/** INFO of each server: master and replicas, or cluster nodes. Skips unreachable servers if others respond. */
export async function readRedisInfos(redis: RedisConnection): Promise<string[]> {
  const info = await redis.info();
  if (redis instanceof Cluster) return infosOfNodes(redis, CONNECT_TIMEOUT_MS);
  const isWatched = (redis.options.sentinels ?? []).length > 0;
  const replicas = isWatched ? replicasIn(info).map((host) => infoOf(redis, host)) : [];
  return [info, ...(await fulfilled(replicas))];
}

/** INFO of the servers `redis` is connected to. Skips a cluster node that fails or does not respond in `timeoutMs`. */
export async function connectedInfos(redis: RedisConnection, timeoutMs: number): Promise<string[]> {
  return redis instanceof Cluster ? infosOfNodes(redis, timeoutMs) : [await redis.info()];
}

async function infosOfNodes(cluster: Cluster, timeoutMs: number): Promise<string[]> {
  const infos = await fulfilled(cluster.nodes().map((node) => withTimeout(timeoutMs, () => node.info())));
  if (infos.length === 0) throw new Error('No node of the cluster responded');
  return infos;
}

async function fulfilled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  return results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

function replicasIn(info: string): RedisHost[] {
  const lines = info.matchAll(/^slave\d+:ip=([^,]+),port=(\d+),/gm);
  return [...lines].map(([, host = '', port]) => ({ host, port: Number(port) }));
}

async function infoOf({ options }: Redis, { host, port }: RedisHost): Promise<string> {
  const { username, password, tls } = options;
  const redis = new Redis({
    host,
    port,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: null,
    ...(username && { username }),
    ...(password && { password }),
    ...(tls && { tls }),
  });
  redis.on('error', () => undefined);
  try {
    return await redis.info();
  } finally {
    redis.disconnect();
  }
}
