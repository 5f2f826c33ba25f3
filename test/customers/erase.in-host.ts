import { dumpDatabase } from '../support/database-dump.ts';
import { dumpRedis } from '../support/redis-dump.ts';
import type { Service } from '../support/service.ts';
import { findIn } from './find-in.ts';

type Context = Service['context'];

/** Which of `canaries` stand in the database or in the service's part of Redis, and in which of them. */
export async function whereStored({ db, config }: Context, canaries: readonly string[]): Promise<string[]> {
  return [
    ...findIn('database', await dumpDatabase({ context: { db } }), canaries),
    ...findIn('redis', await dumpRedis(config.redisUrl, config.queuePrefix), canaries),
  ];
}
