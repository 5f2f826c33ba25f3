import mongoose from 'mongoose';
import { listen } from '../../src/http/listen.ts';
import { createAdminApp } from '../../src/main/admin-app.ts';
import { createPartnerApp } from '../../src/main/partner-app.ts';
import { type ConfigOf, loadConfig } from '../../src/process/config/config.ts';
import { type ApiContext, createApiContext, type WorkerContext } from '../../src/process/context.ts';
import { testScope } from './process-scope.ts';
import { type ServiceCalls, serviceCalls } from './service-calls.ts';
import { freshName, type Listeners, serviceEnvironment } from './service-environment.ts';
import { releaseAllOf } from './service-stop.ts';

/** A whole API of one test file: own database, own queues, both listeners on free ports, in this process. */
export type Service = Listeners &
  ServiceCalls & {
    context: ApiContext & WorkerContext<ConfigOf<'webhook-delivery'>>;
    /** The environment with which a worker process works on the same database and queues. */
    environment: Record<string, string>;
    /** Everything that was logged, as text. */
    logs: () => string;
    /** Drops its database too, unless that is another's. */
    stop: (options?: { keepsDatabase: boolean }) => Promise<void>;
  };

/**
 * Starts a service in this process, on the servers of this jest run; `overrides` are environment variables. Stop it in `afterAll`.
 * For the few suites that must not share a process with others: elsewhere it costs a third of the processor time (service-host.ts).
 * `isMigrated`: its database is there.
 */
export async function startService(
  overrides: Record<string, string> = {},
  { name = freshName(), isMigrated = false }: { name?: string; isMigrated?: boolean } = {},
): Promise<Service> {
  const environment = serviceEnvironment(name, overrides);
  const lines: string[] = [];
  // Tests also do the deliveries' work here.
  const config = { ...loadConfig(environment), ...loadConfig(environment, 'webhook-delivery') };
  const { scope, abort, release } = testScope('api', config, (line) => void lines.push(line));
  const context = { ...createApiContext(scope), config };
  await context.connected;
  const calls = serviceCalls(context);
  if (!isMigrated) await calls.migrate();
  const partner = await listen(createPartnerApp(context), '127.0.0.1', 0);
  const admin = await listen(createAdminApp(context), '127.0.0.1', 0);
  return {
    context,
    url: partner.url,
    adminUrl: admin.url,
    environment,
    logs: () => lines.join(''),
    ...calls,
    stop: async ({ keepsDatabase } = { keepsDatabase: false }) => {
      abort();
      await releaseAllOf(context);
      await Promise.all([partner.close(), admin.close()]);
      await release();
      if (!keepsDatabase) await dropDatabase(config.mongodbUri);
    },
  };
}

/** Drops by a connection of its own, after the service has closed: a late write of the service would create the database again. */
export async function dropDatabase(uri: string): Promise<void> {
  const client = new mongoose.mongo.MongoClient(uri);
  try {
    await client.db().dropDatabase();
  } finally {
    await client.close();
  }
}
