import type { Redis } from 'ioredis';
import type mongoose from 'mongoose';
import { KEPT_PREFIX } from './migrated-databases.ts';
import { isOfWorker, SHARED_NAME, serviceOfKey } from './service-environment.ts';

/** Databases of MongoDB and of the host. All others are named after the Jest worker that created them (`freshName`). */
const LASTING = ['admin', 'config', 'local', SHARED_NAME];

/**
 * Describes the databases that a Jest worker created and did not drop, and the keys in Redis without a service's
 * prefix. Deletes both, and the keys of the worker's services. `own`: prefix of the worker's names.
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
