import type { Redis } from 'ioredis';
import type mongoose from 'mongoose';
import { KEPT_PREFIX } from './migrated-databases.ts';
import { isOfWorker, SHARED_NAME, serviceOfKey } from './service-environment.ts';

/** Databases of MongoDB and of the host. Others, except kept ones, are named after their Jest worker (`freshName`). */
const LASTING = ['admin', 'config', 'local', SHARED_NAME];

/**
 * Describes what a Jest worker left: databases, and keys in Redis without a service's prefix. Deletes both, and the
 * keys of the worker's services. `own`: prefix of the worker's names.
 */
export async function leftOnServers(client: mongoose.mongo.MongoClient, redis: Redis, own: string): Promise<string[]> {
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
  const isOfAnother = (name: string) => isOfWorker(name) && !name.startsWith(own);
  const isLasting = (name: string) => LASTING.includes(name) || name.startsWith(KEPT_PREFIX);
  const leftDatabases = databases.map(({ name }) => name).filter((name) => !isLasting(name) && !isOfAnother(name));
  for (const name of leftDatabases) await client.db(name).dropDatabase();
  const keys = await redis.keys('*');
  const strayKeys = keys.filter((key) => serviceOfKey(key) === undefined && !isOfAnother(key));
  const ended = [...strayKeys, ...keys.filter((key) => key.startsWith(`{${own}`))];
  if (ended.length > 0) await redis.unlink(ended);
  return [...leftDatabases.map((name) => `the database ${name}`), ...strayKeys.map((key) => `the Redis key ${key}`)];
}
