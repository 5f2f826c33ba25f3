import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from './logger.ts';
import { connect, type RedisConnection } from './redis-client.ts';

const QUIT_TIMEOUT_MS = 1000;
/** A connection without data for this long is replaced: it may be dead. A worker waits for jobs up to 10 s. */
const PRODUCER_SILENCE_MS = 5000;
const WORKER_SILENCE_MS = 14_000;

/** Errors of a server that is not the master. If its host name moves, only a new connection reaches the new master. */
const NOT_THE_MASTER = /^(?:READONLY|LOADING|MASTERDOWN|UNBLOCKED)\b/;
/** 2 tells ioredis to send the command again. */
const reconnectAndRepeat = (err: Error): false | 2 => NOT_THE_MASTER.test(err.message) && 2;

/** Codes of a Redis that responds but takes no writes. */
export const WRITE_REFUSALS = ['OOM', 'READONLY', 'MISCONF', 'NOREPLICAS', 'NOPERM'];

/** The shortest time between two reconnections. In between, commands return the errors of a failing server. */
const RECONNECT_EVERY_MS = 1000;

function reconnectAndReject(): (err: Error) => boolean {
  let latestMs = Number.NEGATIVE_INFINITY;
  return ({ message }) => {
    if (!NOT_THE_MASTER.test(message) || performance.now() - latestMs < RECONNECT_EVERY_MS) return false;
    latestMs = performance.now();
    return true;
  };
}

/**
 * A connection for producers: commands fail at once while Redis is away; the connection reconnects by itself. On the
 * request path, never await a command without a time limit (ADR 0009). After a reconnection, commands without a reply
 * are sent again: a queue of BullMQ asks for Redis's version only once and is useless if that fails.
 */
export function createProducerRedis(url: string, log: Logger): RedisConnection {
  const redis = connect(url, {
    enableOfflineQueue: false,
    // Do not set BullMQ's `skipVersionCheck`: it then assumes Redis 5 and searches all waiting jobs for a job's state.
    maxRetriesPerRequest: null,
    reconnectOnError: reconnectAndReject(),
    socketTimeout: PRODUCER_SILENCE_MS,
  });
  logOutages(redis, log);
  return redis;
}

/** A connection for counting calls: commands fail with the connection and are never repeated. Logs no outages. */
export function createLimiterRedis(url: string): RedisConnection {
  const redis = connect(
    url,
    {
      enableOfflineQueue: false,
      // Commands of one turn of the event loop leave in one write.
      enableAutoPipelining: true,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      reconnectOnError: reconnectAndReject(),
      socketTimeout: 2000,
    },
    { retryDelayOnFailover: 0 },
  );
  redis.on('error', () => undefined);
  return redis;
}

/** A connection for a worker: its commands wait until Redis is available. */
export function createWorkerRedis(url: string, log: Logger): RedisConnection {
  const redis = connect(url, {
    maxRetriesPerRequest: null,
    reconnectOnError: reconnectAndRepeat,
    socketTimeout: WORKER_SILENCE_MS,
  });
  logOutages(redis, log);
  return redis;
}

/** Opens a connection and returns the result of `ask` once Redis responds. @throws Error if `signal` aborts first */
export async function askOnce<T>(
  url: string,
  signal: AbortSignal,
  ask: (redis: RedisConnection) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const redis = connect(url, { maxRetriesPerRequest: null });
  // The lasting connections log outages.
  redis.on('error', () => undefined);
  const end = () => redis.disconnect();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await ask(redis);
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

/** Closes the connection in any state, also if Redis does not respond; never throws. */
export async function closeRedis(redis: RedisConnection): Promise<void> {
  if (redis.status === 'ready') {
    await Promise.race([redis.quit().catch(() => undefined), delay(QUIT_TIMEOUT_MS, undefined, { ref: false })]);
  }
  redis.disconnect();
}

/** Logs one line when Redis becomes unavailable and one when it is back, not one for each reconnection. */
function logOutages(redis: RedisConnection, log: Logger): void {
  let isAway = false;
  let failedHost: string | undefined;
  const noteHost = (err: Error) => {
    failedHost = err.message;
  };
  // These events name the host; the `error` event that follows does not.
  redis.on('sentinelError', noteHost).on('node error', noteHost);
  redis.on('error', (err: Error) => {
    const error = failedHost === undefined ? err.message : `${err.message} ${failedHost}`;
    if (!isAway) log.warn({ error }, 'waiting for Redis: it cannot be reached');
    isAway = true;
  });
  redis.on('ready', () => {
    if (isAway) log.info('Redis is reachable again');
    isAway = false;
    failedHost = undefined;
  });
}
