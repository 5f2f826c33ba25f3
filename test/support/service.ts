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

/** An API for one test file in this process, with its own database, queues, and both listeners on free ports. */
export type Service = Listeners &
  ServiceCalls & {
    context: ApiContext & WorkerContext<ConfigOf<'webhook-delivery'>>;
    /** The environment of a worker process on the same database and queues. */
    environment: Record<string, string>;
    /** Its whole log as text. */
    logs: () => string;
    /** Also drops its database, unless another service owns it. */
    stop: (options?: { keepsDatabase: boolean }) => Promise<void>;
  };

/**
 * Starts a service in this process on the servers of this Jest run. `overrides`: environment variables. `isMigrated`:
 * the database exists. Stop it in `afterAll`. Only for suites that cannot share a process: a hosted service
 * (service-host.ts) costs a third of the processor time.
 */
export async function startService(
  overrides: Record<string, string> = {},
  { name = freshName(), isMigrated = false }: { name?: string; isMigrated?: boolean } = {},
): Promise<Service> {
  const environment = serviceEnvironment(name, overrides);
  const lines: string[] = [];
  // Tests also make delivery attempts in this process.
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

/** Call after the service has stopped, because a late write of the service would create the database again. */
export async function dropDatabase(uri: string): Promise<void> {
  const client = new mongoose.mongo.MongoClient(uri);
  try {
    await client.db().dropDatabase();
  } finally {
    await client.close();
  }
}
