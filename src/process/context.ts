import type { RateLimits } from '../http/rate-limiter.ts';
import { createRateLimits } from '../http/rate-limiter.ts';
import type { Clock } from '../platform/clock.ts';
import { createDatabaseClock, systemClock } from '../platform/clock.ts';
import { setLeaseMs } from '../platform/leased-cache.ts';
import type { Logger } from '../platform/logger.ts';
import type { Db } from '../platform/mongo.ts';
import { createDb, IMPATIENT, openDb } from '../platform/mongo.ts';
import { countPoolUse } from '../platform/pool-metrics.ts';
import type { Progress } from '../platform/progress.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { createSecretBox, deriveKeys } from '../platform/secret-box.ts';
import type { Queues } from '../queues/queues.ts';
import { createQueues } from '../queues/queues.ts';
import type { ConfigOf, WorkConfig } from './config/config.ts';
import type { ProcessScope } from './lifecycle.ts';
import { requireSupportedRedis } from './server-requirements.ts';

/** What every process has that does the service's work. */
export type WorkerContext<Settings = WorkConfig> = {
  config: Settings;
  log: Logger;
  clock: Clock;
  db: Db;
  queues: Queues;
  progress: Progress;
  /** Aborts as soon as the process is asked to stop. */
  stopping: AbortSignal;
};

/** Everything that services are given; each takes the parts that it names. */
export type Context = WorkerContext<ConfigOf<'api'>> & {
  secretBox: SecretBox;
  /** For what partners keep and pass back without being able to read it. */
  cursorBox: SecretBox;
};

/** What the two listeners need beside. */
export type ApiContext = Context & { rateLimits: RateLimits };

/**
 * Builds the connections of one process and registers their release. Nothing is awaited: the database connects in the
 * background (`connected`, once its time is known too), Redis by itself. An unsupported server ends the process, whenever
 * it first responds (ADR 0019).
 */
export function createContext<Settings extends WorkConfig>(
  scope: ProcessScope<Settings>,
  overrides: Parameters<typeof openDb>[4] = {},
): WorkerContext<Settings> & { connected: Promise<void> } {
  const { config, log, stopping, progress, onStop } = scope;
  const db = createDb();
  setLeaseMs(db, config.cacheLeaseMs);
  onStop('MongoDB', () => db.close());
  const queues = createQueues(config.redisUrl, config.queuePrefix, log);
  onStop('queues', () => queues.close());
  void requireSupportedRedis(scope);
  const clock = createDatabaseClock(systemClock, db, log);
  const connected = openDb(db, config.mongodbUri, log, stopping, overrides).then(() => {
    countPoolUse(db);
    return clock.measure();
  });
  connected.then(
    () => clock.keepMeasuring(stopping),
    // Logged by whoever waits for the connection.
    () => undefined,
  );
  return {
    config,
    log,
    clock,
    db,
    queues,
    progress,
    stopping,
    connected,
  };
}

/** The same for an API process, with what it seals and opens secrets with and the connection on which it counts calls. */
export function createApiContext(scope: ProcessScope): ApiContext & { connected: Promise<void> } {
  const rateLimits = createRateLimits(scope.config, scope.log);
  scope.onStop('rate limits', () => rateLimits.close());
  const context = createContext(scope, IMPATIENT);
  return {
    ...context,
    secretBox: createSecretBox(scope.config.encryptionKeys),
    cursorBox: createSecretBox(deriveKeys(scope.config.encryptionKeys, 'cursors')),
    rateLimits,
  };
}
