import type { WorkConfig } from '../config/config.ts';
import { readRedisInfos } from '../platform/redis.ts';
import { redisAddress } from '../platform/redis-address.rules.ts';
import { redisFaults, UnsupportedServerError } from '../platform/server-requirements.rules.ts';
import type { ProcessScope } from './lifecycle.ts';

/**
 * Looks at each server of Redis once, as soon as it responds, and never rejects: processes do not wait for it. One that evicts, forgets or is too
 * old ends the process in production, and is a warning in the sandbox (ADR 0015).
 */
export function requireSupportedRedis({
  config,
  log,
  stopping,
  fail,
}: Pick<ProcessScope<WorkConfig>, 'config' | 'log' | 'stopping' | 'fail'>): Promise<void> {
  return readRedisInfos(config.redisUrl, stopping).then(
    (infos) => {
      const isCluster = redisAddress(config.redisUrl).kind === 'cluster';
      const faults = [...new Set(infos.flatMap((info) => redisFaults(info, isCluster)))];
      if (faults.length === 0) return;
      const sentence = `This Redis may lose scheduled jobs. ${faults.join(' ')}`;
      if (config.serviceMode === 'production') fail(new UnsupportedServerError(sentence));
      else log.warn(sentence);
    },
    (err: Error) => {
      if (!stopping.aborted) log.warn({ error: err.message }, 'the settings of Redis could not be read');
    },
  );
}
