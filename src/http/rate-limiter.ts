import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Logger } from '../platform/logger.ts';
import { closeRedis, createLimiterRedis } from '../platform/redis.ts';
import type { RedisConnection } from '../platform/redis-client.ts';

/** At most `limit` calls in the `windowSeconds` after the first call. Rate limit headers contain `name`. */
type Quota = { name: string; limit: number; windowSeconds: number };

/** The state of a key's window, which ends in `resetMs`. */
export type Usage = {
  quota: Quota;
  remaining: number;
  resetMs: number;
  /** From `count`: whether this call was over the limit. From `read`: whether the next one would be. */
  isOverLimit: boolean;
};

export type RateLimiter = {
  /** Counts a call. Never throws, and waits at most 100 ms for Redis. */
  count(key: string): Promise<Usage>;
};

/** Counts in this process only. */
export type LocalRateLimiter = RateLimiter & {
  read(key: string): Promise<Usage>;
  giveBack(key: string): Promise<void>;
};

export type BadKeyLimits = { ofAddress: LocalRateLimiter; ofAll: LocalRateLimiter };

/** The limits of an API process (ADR 0014). The partner listener's limits are absent if they are off. */
export type RateLimits = {
  partnerCalls: RateLimiter | undefined;
  badPartnerKeys: BadKeyLimits | undefined;
  badOperatorKeys: LocalRateLimiter;
  /** Closes the connection to Redis in any state. */
  close(): Promise<void>;
};

const WINDOW_SECONDS = 60;
/** High enough for a partner's test that sends an invalid key to each endpoint. */
const BAD_KEYS: Quota = { name: 'bad-keys', limit: 60, windowSeconds: WINDOW_SECONDS };
/** The limit for all addresses together: a client may have any number of them. */
const ALL_BAD_KEYS: Quota = { ...BAD_KEYS, limit: 600 };
const REDIS_TIMEOUT_MS = 100;
/** The time between probes while Redis is unavailable; no call waits for a probe. */
const PROBE_INTERVAL_MS = 250;

type RateLimitSettings = {
  /** For each partner; 0 switches the limit off. */
  rateLimitPerMinute: number;
  redisUrl: string;
  queuePrefix: string;
};

/** Connects to Redis in the background, for partners' calls only; without a limit there is no connection. */
export function createRateLimits(config: RateLimitSettings, log: Logger): RateLimits {
  const badOperatorKeys = createLocalLimiter(BAD_KEYS);
  const limit = config.rateLimitPerMinute;
  if (limit === 0) {
    return {
      partnerCalls: undefined,
      badPartnerKeys: undefined,
      badOperatorKeys,
      close: () => Promise.resolve(),
    };
  }
  const redis = createLimiterRedis(config.redisUrl);
  const quota = { name: 'partner', limit, windowSeconds: WINDOW_SECONDS };
  return {
    partnerCalls: createSharedLimiter(quota, redis, `${config.queuePrefix}:rate-limit`, log),
    badPartnerKeys: { ofAddress: createLocalLimiter(BAD_KEYS), ofAll: createLocalLimiter(ALL_BAD_KEYS) },
    badOperatorKeys,
    close: () => closeRedis(redis),
  };
}

function createLocalLimiter(quota: Quota): LocalRateLimiter {
  const limiter = new RateLimiterMemory({ points: quota.limit, duration: quota.windowSeconds });
  return {
    count: (key) => consume(limiter, quota, key),
    read: async (key) => {
      const found = await limiter.get(key);
      if (found === null || found.msBeforeNext <= 0) {
        return { quota, remaining: quota.limit, resetMs: quota.windowSeconds * 1000, isOverLimit: false };
      }
      return usage(quota, found, found.remainingPoints === 0);
    },
    giveBack: async (key) => {
      if ((await limiter.get(key)) !== null) await limiter.reward(key);
    },
  };
}

/**
 * Counts under `<keyPrefix>:<key>` in Redis, for all processes. While Redis is unavailable or rejects writes, each
 * process counts alone. Only the first call waits for the time-out; later calls use Redis again once a probe has
 * succeeded. With the library's own fallback every call would wait.
 */
function createSharedLimiter(quota: Quota, redis: RedisConnection, keyPrefix: string, log: Logger): RateLimiter {
  const local = createLocalLimiter(quota);
  const shared = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix,
    points: quota.limit,
    duration: quota.windowSeconds,
    rejectIfRedisNotReady: true,
    // Calls over the limit are rejected from memory until the window ends, so a flood does not reach Redis.
    inMemoryBlockOnConsumed: quota.limit,
  });
  // Probes with a write: a full Redis or a replica responds to PING but counts nothing.
  const outage = watchOutage(() => redis.set(`${keyPrefix}:probe`, '1', 'EX', 1), log);
  return {
    count: async (key) => {
      if (outage.isOn()) return local.count(key);
      try {
        return await withinTimeout(consume(shared, quota, key));
      } catch (err) {
        outage.begin(err as Error);
        return local.count(key);
      }
    },
  };
}

function watchOutage(probe: () => Promise<unknown>, log: Logger) {
  let isOn = false;
  let isProbing = false;
  let probeAtMs = 0;
  const tryAgain = async () => {
    isProbing = true;
    try {
      await probe();
      isOn = false;
      log.info('Redis available again, rate limits are shared by all processes');
    } catch {
      probeAtMs = performance.now() + PROBE_INTERVAL_MS;
    }
    isProbing = false;
  };
  return {
    isOn: (): boolean => {
      if (isOn && !isProbing && performance.now() >= probeAtMs) void tryAgain();
      return isOn;
    },
    begin: (err: Error): void => {
      if (!isOn) log.warn({ error: err.message }, 'Redis unavailable, falling back to per-process rate limits');
      isOn = true;
      probeAtMs = performance.now() + PROBE_INTERVAL_MS;
    },
  };
}

/**
 * Rejects after two consecutive timers of 50 ms. If this process stalls, only one timer expires, so a lack of CPU does
 * not count as an outage.
 */
function withinTimeout<T>(counted: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`Redis did not respond within ${REDIS_TIMEOUT_MS} ms`));
    const half = REDIS_TIMEOUT_MS / 2;
    let timer = setTimeout(() => {
      timer = setTimeout(giveUp, half);
    }, half);
    counted.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

type Consuming = Pick<RateLimiterMemory, 'consume'>;

/** The library rejects with the key's state if a call is over the limit, and with an Error if it could not count. */
async function consume(limiter: Consuming, quota: Quota, key: string): Promise<Usage> {
  try {
    return usage(quota, await limiter.consume(key), false);
  } catch (err) {
    if (err instanceof RateLimiterRes) return usage(quota, err, true);
    throw err;
  }
}

function usage(quota: Quota, found: RateLimiterRes, isOverLimit: boolean): Usage {
  return { quota, remaining: found.remainingPoints, resetMs: Math.max(0, found.msBeforeNext), isOverLimit };
}
