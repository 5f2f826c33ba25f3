import type { Redis } from 'ioredis';
import type mongoose from 'mongoose';
import { KEPT_PREFIX } from './migrated-databases.ts';
import { isOfWorker, SHARED_NAME, serviceOfKey } from './service-environment.ts';

/** Databases of MongoDB itself and of the host; all others name the worker of Jest that made them (`freshName`). */
const LASTING = ['admin', 'config', 'local', SHARED_NAME];

/**
 * The databases that a worker of Jest made and did not drop, and the keys in Redis that are under no service's prefix, in words. Both
 * are deleted, and what the worker's services had in Redis. `own` is how the worker's names begin.
 */
export async function leftOnServers(client: mongoose.mongo.MongoClient, redis: Redis, own: string): Promise<string[]> {
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
  const isOfAnother = (name: string) => isOfWorker(name) && !name.startsWith(own);
  const isLasting = (name: string) => LASTING.includes(name) || name.startsWith(KEPT_PREFIX);
  const left = databases.map(({ name }) => name).filter((name) => !isLasting(name) && !isOfAnother(name));
  for (const name of left) await client.db(name).dropDatabase();
  const keys = await redis.keys('*');
  const astray = keys.filter((key) => serviceOfKey(key) === undefined && !isOfAnother(key));
  const ended = [...astray, ...keys.filter((key) => key.startsWith(`{${own}`))];
  if (ended.length > 0) await redis.unlink(ended);
  return [...left.map((name) => `the database ${name}`), ...astray.map((key) => `the Redis key ${key}`)];
}
