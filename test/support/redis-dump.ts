import { Redis } from 'ioredis';
import { serviceOfKey } from './service-environment.ts';

/**
 * The keys and values in Redis as text: those of the service whose queues have `prefix`, and those that belong to no
 * service.
 */
export async function dumpRedis(url: string, prefix: string): Promise<string> {
  const redis = new Redis(url);
  try {
    const parts: string[] = [];
    for (const key of (await redis.keys('*')).filter((name) => isOwn(name, prefix))) {
      parts.push(key, JSON.stringify(await valueOf(redis, key)));
    }
    return parts.join('\n');
  } finally {
    redis.disconnect();
  }
}

function isOwn(key: string, prefix: string): boolean {
  return key.startsWith(prefix) || serviceOfKey(key) === undefined;
}

async function valueOf(redis: Redis, key: string): Promise<unknown> {
  const type = await redis.type(key);
  switch (type) {
    case 'string':
      return redis.get(key);
    case 'hash':
      return redis.hgetall(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, '0', '-1');
    case 'stream':
      return redis.xrange(key, '-', '+');
    case 'none':
      return null;
    default:
      throw new Error(`Redis key ${key} is of the unknown type ${type}`);
  }
}
