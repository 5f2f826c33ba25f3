import { askOnce } from '../platform/redis.ts';
import { redisAddress } from '../platform/redis-address.rules.ts';
import type { RedisConnection } from '../platform/redis-client.ts';
import { readRedisInfos } from '../platform/redis-info.ts';
import { isPersistent, redisFaults, UnsupportedServerError } from '../platform/server-requirements.rules.ts';
import { missingPermissions } from '../queues/redis-permissions.ts';
import type { WorkConfig } from './config/config.ts';
import type { ProcessScope } from './lifecycle.ts';

type Scope = Pick<ProcessScope<WorkConfig>, 'config' | 'log' | 'stopping' | 'fail'>;

const VOLATILE_WARNING =
  'This Redis has no append-only file, so a restart loses its jobs. Sweeps then do the work of these jobs from MongoDB, some seconds late. Set appendonly yes, or accept it with REDIS_ALLOW_VOLATILE=true.';

/**
 * Checks each Redis server once, as soon as it responds; never rejects, and processes do not wait for it. A missing
 * permission or database ends the process. A server that evicts keys or is too old ends a production process, and
 * is logged in the sandbox. A server without an append-only file is logged in both modes (ADR 0019).
 */
export async function requireSupportedRedis({ config, log, stopping, fail }: Scope): Promise<void> {
  try {
    const infos = await askOnce(config.redisUrl, stopping, (redis) => infosOf(redis, config));
    if (!config.redisAllowVolatile && infos.some((info) => isPersistent(info) === false)) log.warn(VOLATILE_WARNING);
    const isCluster = redisAddress(config.redisUrl).kind === 'cluster';
    const faults = [...new Set(infos.flatMap((info) => redisFaults(info, isCluster)))];
    if (faults.length === 0) return;
    const warning = `This Redis may lose scheduled jobs. ${faults.join(' ')}`;
    if (config.serviceMode === 'production') fail(new UnsupportedServerError(warning));
    else log.warn(warning);
  } catch (err) {
    if (err instanceof UnsupportedServerError) fail(err);
    else if (!stopping.aborted) log.warn({ error: (err as Error).message }, 'the settings of Redis could not be read');
  }
}

/** INFO of each server. @throws UnsupportedServerError if a permission or the database is missing */
async function infosOf(redis: RedisConnection, { redisUrl, queuePrefix }: WorkConfig): Promise<string[]> {
  const address = redisAddress(redisUrl);
  if (address.kind !== 'cluster') await requireDatabase(redis, address.db);
  const missing = await missingPermissions(redis, queuePrefix);
  if (missing.length > 0) {
    const user = address.username ?? 'default';
    throw new UnsupportedServerError(
      `The user ${user} of this Redis lacks permissions. Grant them: ACL SETUSER ${user} ${missing.join(' ')}`,
    );
  }
  return readRedisInfos(redis);
}

/** Without this check, a client that cannot select its database continues in database 0. */
async function requireDatabase(redis: RedisConnection, db: number): Promise<void> {
  await redis.call('SELECT', db).catch((err: Error) => {
    throw new UnsupportedServerError(`REDIS_URL names database ${db}, which cannot be selected: ${err.message}`);
  });
}
