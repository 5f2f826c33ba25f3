import { dumpDatabase } from '../support/database-dump.ts';
import { dumpRedis } from '../support/redis-dump.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** The `canaries` found in the database or in the service's part of Redis, and where. */
export async function whereStored({ db, config }: Context, canaries: readonly string[]): Promise<string[]> {
  const dumps = {
    database: await dumpDatabase({ context: { db } }),
    redis: await dumpRedis(config.redisUrl, config.queuePrefix),
  };
  return Object.entries(dumps).flatMap(([name, text]) =>
    canaries.filter((canary) => text.includes(canary)).map((canary) => `${canary} in ${name}`),
  );
}
