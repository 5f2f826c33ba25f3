import type { WorkConfig } from '../config/config.ts';
import { readRedisInfo } from '../platform/redis.ts';
import { redisFaults, UnsupportedServerError } from '../platform/server-requirements.rules.ts';
import type { ProcessScope } from './lifecycle.ts';

/**
 * Looks at Redis once, as soon as it responds, and never rejects: processes do not wait for it. One that evicts, forgets or is too
 * old ends the process in production, and is a warning in the sandbox (ADR 0015).
 */
export function requireSupportedRedis({
  config,
  log,
  stopping,
  fail,
}: Pick<ProcessScope<WorkConfig>, 'config' | 'log' | 'stopping' | 'fail'>): Promise<void> {
  return readRedisInfo(config.redisUrl, stopping).then(
    (info) => {
      const faults = redisFaults(info);
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
