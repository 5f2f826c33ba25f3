import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Logger } from '../platform/logger.ts';
import type { RedisConnection } from '../platform/redis.ts';
import { closeRedis, createLimiterRedis } from '../platform/redis.ts';

/** At most `limit` calls in a window of `windowSeconds`, which begins with the first of them; callers see `name`. */
export type Quota = { name: string; limit: number; windowSeconds: number };

/** Where a key stands in its window, which ends in `resetMs`. */
export type Usage = {
  quota: Quota;
  remaining: number;
  resetMs: number;
  /** Of a call that was counted: it is one too many. Of a reading: the next one would be. */
  isOverLimit: boolean;
};

export type RateLimiter = {
  /** Counts one call. Never throws, and waits at most 100 ms for Redis. */
  count(key: string): Promise<Usage>;
};

/** Counts in this process alone; what it holds is gone with the window. */
export type LocalRateLimiter = RateLimiter & {
  read(key: string): Promise<Usage>;
  /** Takes back one that was counted in this window. */
  giveBack(key: string): Promise<void>;
};

/** How many keys that were never seen to be right may be looked up at once. */
export type BadKeyLimits = { ofAddress: LocalRateLimiter; ofAll: LocalRateLimiter };

/** The limits of one API process (ADR 0014). Those of the partner listener are absent where they are off. */
export type RateLimits = {
  partnerCalls: RateLimiter | undefined;
  badPartnerKeys: BadKeyLimits | undefined;
  badOperatorKeys: LocalRateLimiter;
  /** Lets go of Redis, also where it does not respond. */
  close(): Promise<void>;
};

const WINDOW_SECONDS = 60;
/** Above one wrong key for every endpoint, which a partner's own test of its error handling sends. */
const BAD_KEYS: Quota = { name: 'bad-keys', limit: 60, windowSeconds: WINDOW_SECONDS };
/** Of all addresses together, one of which can have any number of others to send from. */
const ALL_BAD_KEYS: Quota = { ...BAD_KEYS, limit: 600 };
/** How long a call may wait for Redis to count it. */
const REDIS_TIMEOUT_MS = 100;
/** How often Redis is asked, while it is away, whether it is back. No call waits for that. */
const PROBE_INTERVAL_MS = 250;

export type RateLimitSettings = {
  /** Of each partner; 0 switches the limit off. */
  rateLimitPerMinute: number;
  redisUrl: string;
  /** What the names of all keys in Redis begin with. */
  queuePrefix: string;
};

/** Connects to Redis in the background, for partners' calls only; 0 calls a minute make no connection. */
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
 * Counts under `<keyPrefix>:<key>` in Redis, for all processes together; the key lives as long as its window. While Redis
 * is away, or takes no writes, each process counts by itself. The first call that Redis fails costs its time-out; those
 * that follow do not ask until a probe beside them has succeeded, which the library's own insurance would make each do.
 */
function createSharedLimiter(
  quota: Quota,
  redis: RedisConnection,
  keyPrefix: string,
  log: Logger,
): RateLimiter {
  const local = createLocalLimiter(quota);
  const shared = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix,
    points: quota.limit,
    duration: quota.windowSeconds,
    rejectIfRedisNotReady: true,
    // Calls over the limit are rejected from memory until the window ends: a flood does not reach Redis.
    inMemoryBlockOnConsumed: quota.limit,
  });
  // A write: a Redis that is full, or became a replica, responds to a PING and counts nothing.
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

/** One line in the log when it begins and one when it is over. */
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
      if (!isOn)
        log.warn({ error: err.message }, 'Redis unavailable, falling back to per-process rate limits');
      isOn = true;
      probeAtMs = performance.now() + PROBE_INTERVAL_MS;
    },
  };
}

/**
 * Fails where there is no response within 100 ms. They are waited for in two halves, of which a process that is short of CPU
 * uses up one at most, however long it stands still: it must not take that for an outage.
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

/** The library rejects with where the key stands when a call is one too many, with an Error when it could not count. */
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
