import { randomBytes } from 'node:crypto';
import { createAdminApp } from '../../src/apps/admin-app.ts';
import { createPartnerApp } from '../../src/apps/partner-app.ts';
import type { ConfigOf } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/config.ts';
import { migrate } from '../../src/database/collections.ts';
import { listen } from '../../src/http/listen.ts';
import { createLogger } from '../../src/platform/logger.ts';
import type { ApiContext, WorkerContext } from '../../src/process/context.ts';
import { createApiContext } from '../../src/process/context.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';

/** Drawn anew for each test file, since a service in production refuses a key that is published. */
export const OPERATOR_KEY = `op_${randomBytes(32).toString('base64url')}`;
const ENCRYPTION_KEY = randomBytes(32).toString('base64');

/** A whole API of one test file: own database, own queues, both listeners on free ports, in this process. */
export type Service = {
  context: ApiContext & WorkerContext<ConfigOf<'webhook-delivery'>>;
  url: string;
  adminUrl: string;
  /** The environment with which a worker process works on the same database and queues. */
  environment: Record<string, string>;
  /** Everything that was logged, as text. */
  logs: () => string;
  stop: () => Promise<void>;
};

/** Starts a service on the servers of this jest run; `overrides` are environment variables. Stop it in `afterAll`. */
export async function startService(overrides: Record<string, string> = {}): Promise<Service> {
  const name = `t${randomBytes(6).toString('hex')}`;
  const environment = serviceEnvironment(name, overrides);
  const lines: string[] = [];
  const stopping = new AbortController();
  const releases: (() => Promise<unknown>)[] = [];
  // Tests also do the deliveries' work here.
  const config = { ...loadConfig(environment), ...loadConfig(environment, 'webhook-delivery') };
  const scope: ProcessScope<typeof config> = {
    config,
    log: createLogger('api', config.logLevel, { write: (line) => void lines.push(line) }),
    stopping: stopping.signal,
    stop: () => undefined,
    fail: (reason) => void lines.push(reason.message),
    onStop: (_label, release) => void releases.push(release),
  };
  const context = { ...createApiContext(scope), config };
  await context.connected;
  await migrate(context.db);
  const partner = await listen(createPartnerApp(context), '127.0.0.1', 0);
  const admin = await listen(createAdminApp(context), '127.0.0.1', 0);
  return {
    context,
    url: partner.url,
    adminUrl: admin.url,
    environment,
    logs: () => lines.join(''),
    stop: async () => {
      stopping.abort();
      await Promise.all([partner.close(), admin.close()]);
      await context.db.dropDatabase();
      for (const release of releases.reverse()) await release();
    },
  };
}

/** The environment of a service with a database and queues of its own, named `name`. */
export function serviceEnvironment(
  name: string,
  overrides: Record<string, string> = {},
): Record<string, string> {
  const { TEST_MONGODB_URI: mongodbUri, TEST_REDIS_URL: redisUrl } = process.env;
  if (mongodbUri === undefined || redisUrl === undefined) throw new Error('The test servers are not running');
  const uri = new URL(mongodbUri);
  uri.pathname = `/${name}`;
  return {
    MONGODB_URI: uri.toString(),
    REDIS_URL: redisUrl,
    QUEUE_PREFIX: `{${name}}`,
    OPERATOR_API_KEY: OPERATOR_KEY,
    ENCRYPTION_KEYS: ENCRYPTION_KEY,
    WEBHOOK_ALLOW_PRIVATE_NETWORKS: String(overrides['SERVICE_MODE'] !== 'production'),
    // Those of the test run have neither TLS nor passwords, and are refused in production.
    MONGODB_ALLOW_INSECURE: 'true',
    REDIS_ALLOW_INSECURE: 'true',
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    LOG_LEVEL: 'info',
    // Counted as ever, and more than any suite makes.
    RATE_LIMIT_PER_MINUTE: '1000000',
    ...overrides,
  };
}
