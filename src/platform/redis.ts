import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Logger } from './logger.ts';

const QUIT_TIMEOUT_MS = 1000;
/**
 * A connection on which nothing arrives for so long is replaced: where the network swallows packets, or has forgotten the
 * connection, nothing else would end it for a quarter of an hour or more. A worker's waits for jobs up to 10 s at a time.
 */
const PRODUCER_SILENCE_MS = 5000;
const WORKER_SILENCE_MS = 14_000;

/**
 * A connection for producers: it fails at once while Redis is away instead of queueing commands, and reconnects by
 * itself. What was sent without a reply is sent again then, however long that takes: each queue of BullMQ asks for Redis's
 * version once, and is of no use any more where that fails. Nothing on the request path may await it without a bound (ADR 0003).
 */
export function createProducerRedis(url: string, log: Logger): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    // Not BullMQ's skipVersionCheck instead: it then looks for a job's state as Redis 5 must, in every waiting job.
    maxRetriesPerRequest: null,
    socketTimeout: PRODUCER_SILENCE_MS,
    connectTimeout: 2000,
    retryStrategy: reconnectDelayMs,
  });
  logOutages(redis, log);
  return redis;
}

/**
 * A connection for counting calls: a command fails with its connection and is never repeated, and a connection on which
 * nothing arrives for 2 s is replaced. Its outages are logged by whoever counts, once there is something to count.
 */
export function createLimiterRedis(url: string): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    // What is counted in one turn of the event loop leaves in one write.
    enableAutoPipelining: true,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    socketTimeout: 2000,
    connectTimeout: 2000,
    retryStrategy: reconnectDelayMs,
  });
  redis.on('error', () => undefined);
  return redis;
}

/** A connection for a worker: its commands wait until Redis is there. */
export function createWorkerRedis(url: string, log: Logger): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    socketTimeout: WORKER_SILENCE_MS,
    connectTimeout: 2000,
    retryStrategy: reconnectDelayMs,
  });
  logOutages(redis, log);
  return redis;
}

/**
 * What Redis says of itself (INFO), as soon as it responds, on a connection that is gone then.
 * @throws Error where it responds with an error, or `signal` aborts first
 */
export async function readRedisInfo(url: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    connectTimeout: 2000,
    retryStrategy: reconnectDelayMs,
  });
  // Outages are logged by the connections that stay.
  redis.on('error', () => undefined);
  const end = () => redis.disconnect();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await redis.info();
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

/** Ends the connection whatever its state, also where Redis does not respond; never throws. */
export async function closeRedis(redis: Redis): Promise<void> {
  if (redis.status === 'ready') {
    await Promise.race([
      redis.quit().catch(() => undefined),
      delay(QUIT_TIMEOUT_MS, undefined, { ref: false }),
    ]);
  }
  redis.disconnect();
}

function reconnectDelayMs(attempts: number): number {
  return Math.min(attempts * 100, 1000);
}

/** One line when Redis goes and one when it is back, not one for each reconnection tried. */
function logOutages(redis: Redis, log: Logger): void {
  let isAway = false;
  redis.on('error', (err: Error) => {
    if (!isAway) log.warn({ error: err.message }, 'waiting for Redis: it cannot be reached');
    isAway = true;
  });
  redis.on('ready', () => {
    if (isAway) log.info('Redis is reachable again');
    isAway = false;
  });
}
