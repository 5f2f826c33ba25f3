import { randomBytes } from 'node:crypto';

/** The addresses of a service, and its operator key if it is not the tests' own. */
export type Listeners = { url: string; adminUrl: string; operatorKey?: string };

/** Settings of every service of a run. The keys are random, because production rejects published ones. */
const {
  TEST_OPERATOR_KEY: operatorKey = `op_${randomBytes(32).toString('base64url')}`,
  TEST_ENCRYPTION_KEY: encryptionKey = randomBytes(32).toString('base64'),
} = process.env;

export { operatorKey as OPERATOR_KEY };

/** Settings that the global setup puts into the environment for the suites. */
export type RunSettings = {
  TEST_MONGODB_URI: string;
  TEST_REDIS_URL: string;
  TEST_OPERATOR_KEY: string;
  TEST_ENCRYPTION_KEY: string;
  TEST_SERVICE_HOST_URL: string;
  TEST_SERVICE_URL: string;
  TEST_SERVICE_ADMIN_URL: string;
};

/** The keys as environment variables. */
export const runKeys = (): Pick<RunSettings, 'TEST_OPERATOR_KEY' | 'TEST_ENCRYPTION_KEY'> => ({
  TEST_OPERATOR_KEY: operatorKey,
  TEST_ENCRYPTION_KEY: encryptionKey,
});

/** A variable that the global setup has set. */
export function runSetting(name: keyof RunSettings): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`The servers of the test run are not running: ${name} is not set`);
  return value;
}

/** Database and Redis prefix of the service that the suites of a run share. */
export const SHARED_NAME = 'shared';

/** Prefix of the names of a Jest worker. */
export const prefixOfWorker = (id: string): string => `t${id}x`;

/** Whether a Jest worker created the name of this database, service or key (`freshName`). */
export const isOfWorker = (name: string): boolean => /^t\d+x/.test(name);

/** The name of the service to which a Redis key belongs; undefined if the key has no service's prefix. */
export function serviceOfKey(key: string): string | undefined {
  const name = /^\{(\w+)\}/.exec(key)?.[1];
  return name !== undefined && (name === SHARED_NAME || isOfWorker(name)) ? name : undefined;
}

/** A unique name for a database and a Redis prefix, which names its Jest worker for the leak check (leaks.cjs). */
export function freshName(): string {
  return `${prefixOfWorker(process.env['JEST_WORKER_ID'] ?? '0')}${randomBytes(6).toString('hex')}`;
}

/** The address of a database on the run's MongoDB. */
export function databaseUri(name: string): string {
  const uri = new URL(runSetting('TEST_MONGODB_URI'));
  uri.pathname = `/${name}`;
  return uri.toString();
}

/** The address of a new database; its client emits each command (`commandStarted`). */
export function monitoredUri(): string {
  const uri = new URL(databaseUri(freshName()));
  uri.searchParams.set('monitorCommands', 'true');
  return uri.toString();
}

/** The environment of a service named `name`, with its own database and queues. */
export function serviceEnvironment(name: string, overrides: Record<string, string> = {}): Record<string, string> {
  return {
    MONGODB_URI: databaseUri(name),
    REDIS_URL: runSetting('TEST_REDIS_URL'),
    QUEUE_PREFIX: `{${name}}`,
    OPERATOR_API_KEY: operatorKey,
    ENCRYPTION_KEYS: encryptionKey,
    WEBHOOK_ALLOW_PRIVATE_NETWORKS: String(overrides['SERVICE_MODE'] !== 'production'),
    // The test servers have neither TLS nor passwords, which production rejects.
    MONGODB_ALLOW_INSECURE: 'true',
    REDIS_ALLOW_INSECURE: 'true',
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    HEALTH_PORT: '0',
    LOG_LEVEL: 'info',
    // Short, because a change that takes something off sale is answered after 1.2 leases.
    CACHE_LEASE_MS: '600',
    // So high that no suite reaches it; 0 would not even count calls.
    RATE_LIMIT_PER_MINUTE: '1000000',
    ...overrides,
  };
}
