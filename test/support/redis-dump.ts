import { Redis } from 'ioredis';

/** The queues of another service of the same test run. */
const OF_A_SERVICE = /^\{(?:t\d+x[0-9a-f]+|shared)\}/;

/**
 * Every key of the service whose queues have `prefix`, and every key that belongs to no service, with whatever it holds, as
 * text: what somebody with access to Redis can read.
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
  return key.startsWith(prefix) || !OF_A_SERVICE.test(key);
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
