import type { RedisConnection } from '../platform/redis.ts';
import { askOnce, readRedisInfos } from '../platform/redis.ts';
import { redisAddress } from '../platform/redis-address.rules.ts';
import { redisFaults, UnsupportedServerError } from '../platform/server-requirements.rules.ts';
import { missingPermissions } from '../queues/redis-permissions.ts';
import type { WorkConfig } from './config/config.ts';
import type { ProcessScope } from './lifecycle.ts';

type Scope = Pick<ProcessScope<WorkConfig>, 'config' | 'log' | 'stopping' | 'fail'>;

/**
 * Looks at each server of Redis once, as soon as it responds, and never rejects: processes do not wait for it. A user that may not do all
 * that is asked of Redis, and a database that is not there, end the process. A server that evicts, forgets or is too old ends it in
 * production, and is a warning in the sandbox (ADR 0019).
 */
export async function requireSupportedRedis({ config, log, stopping, fail }: Scope): Promise<void> {
  try {
    const faults = await askOnce(config.redisUrl, stopping, (redis) => faultsOf(redis, config));
    if (faults.length === 0) return;
    const sentence = `This Redis may lose scheduled jobs. ${faults.join(' ')}`;
    if (config.serviceMode === 'production') fail(new UnsupportedServerError(sentence));
    else log.warn(sentence);
  } catch (err) {
    if (err instanceof UnsupportedServerError) fail(err);
    else if (!stopping.aborted)
      log.warn({ error: (err as Error).message }, 'the settings of Redis could not be read');
  }
}

/** @throws UnsupportedServerError where nothing would work */
async function faultsOf(redis: RedisConnection, { redisUrl, queuePrefix }: WorkConfig): Promise<string[]> {
  const address = redisAddress(redisUrl);
  if (address.kind !== 'cluster') await requireDatabase(redis, address.db);
  const missing = await missingPermissions(redis, queuePrefix);
  if (missing.length > 0) {
    const user = address.username ?? 'default';
    throw new UnsupportedServerError(
      `The user ${user} of this Redis may not do all that is asked of it. Allow it: ACL SETUSER ${user} ${missing.join(' ')}`,
    );
  }
  const infos = await readRedisInfos(redis);
  return [...new Set(infos.flatMap((info) => redisFaults(info, address.kind === 'cluster')))];
}

/** The client goes on in database 0 where it cannot select the one of its URL. */
async function requireDatabase(redis: RedisConnection, db: number): Promise<void> {
  await redis.call('SELECT', db).catch((err: Error) => {
    throw new UnsupportedServerError(
      `REDIS_URL names database ${db}, which cannot be selected: ${err.message}`,
    );
  });
}
