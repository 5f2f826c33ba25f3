import { createRateLimits, type RateLimits } from '../http/rate-limiter.ts';
import { type Clock, createDatabaseClock, systemClock } from '../platform/clock.ts';
import { setLeaseMs } from '../platform/leased-cache.ts';
import type { Db } from '../platform/mongo.ts';
import { createDb, IMPATIENT, openDb } from '../platform/mongo-connection.ts';
import { countPoolUse } from '../platform/process-metrics.ts';
import { createSecretBox, deriveKeys, type SecretBox } from '../platform/secret-box.ts';
import { createQueues, type Queues } from '../queues/queues.ts';
import type { ConfigOf, WorkConfig } from './config/config.ts';
import type { ProcessScope } from './lifecycle.ts';
import { requireSupportedRedis } from './server-requirements.ts';

/** The connections and tools of every process of the service. */
export type WorkerContext<Settings = WorkConfig> = Pick<
  ProcessScope<Settings>,
  'config' | 'log' | 'progress' | 'stopping'
> & { clock: Clock; db: Db; queues: Queues };

/** The context of services; each service takes the parts that it needs. */
export type Context = WorkerContext<ConfigOf<'api'>> & {
  secretBox: SecretBox;
  /** Seals cursors, which partners store and send back but cannot read. */
  cursorBox: SecretBox;
};

export type ApiContext = Context & { rateLimits: RateLimits };

/**
 * Creates the connections of a process and registers their release. Awaits nothing: the database connects in the
 * background, and `connected` resolves once its clock has been read. An unsupported server ends the process (ADR 0019).
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
    // Code that awaits the connection logs its failure.
    () => undefined,
  );
  return { config, log, clock, db, queues, progress, stopping, connected };
}

/** The context of an API process, which also seals secrets and limits calls. */
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
