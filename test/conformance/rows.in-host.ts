import { createPartnerApp } from '../../src/main/partner-app.ts';
import { loadConfig } from '../../src/process/config/config.ts';
import { createApiContext } from '../../src/process/context.ts';
import { testScope } from '../support/process-scope.ts';
import type { Service } from '../support/service.ts';
import { serviceEnvironment } from '../support/service-environment.ts';
import { listenUntilStop, onServiceStop } from '../support/service-stop.ts';

/** The default limit; the tests' services have another. */
export function defaultRateLimit(_context: unknown): number {
  const { RATE_LIMIT_PER_MINUTE: _, ...environment } = serviceEnvironment('any');
  return loadConfig(environment).rateLimitPerMinute;
}

/** A partner listener with an unreachable database; returns its address. */
export async function listenWithoutDatabase(context: Service['context']): Promise<string> {
  // Nothing listens on port 9.
  const mongodbUri = 'mongodb://127.0.0.1:9/none?serverSelectionTimeoutMS=200';
  const { scope, abort, release } = testScope('api', { ...context.config, mongodbUri }, () => undefined);
  const unreachable = createApiContext(scope);
  const opened = unreachable.connected.catch(() => undefined);
  onServiceStop(context, async () => {
    abort();
    await release();
    await opened;
  });
  return listenUntilStop(context, createPartnerApp(unreachable));
}
