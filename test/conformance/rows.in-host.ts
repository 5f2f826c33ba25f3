import { createPartnerApp } from '../../src/apps/partner-app.ts';
import { loadConfig } from '../../src/config/config.ts';
import { listen } from '../../src/http/listen.ts';
import { createApiContext } from '../../src/process/context.ts';
import { testScope } from '../support/process-scope.ts';
import type { Service } from '../support/service.ts';
import { serviceEnvironment } from '../support/service-environment.ts';

/** What a service allows that is not told otherwise; the services of the tests are. */
export function defaultRateLimit(_context: unknown): number {
  const { RATE_LIMIT_PER_MINUTE: _, ...environment } = serviceEnvironment('any');
  return loadConfig(environment).rateLimitPerMinute;
}

/** What ends each listener, by its url. */
const closing = new Map<string, () => Promise<void>>();

/** A partner listener of the service whose database cannot be reached, until `stopListening`; returns its url. */
export async function listenWithoutDatabase({ config }: Service['context']): Promise<string> {
  // Nothing listens on port 9.
  const mongodbUri = 'mongodb://127.0.0.1:9/none?serverSelectionTimeoutMS=200';
  const { scope, abort, release } = testScope('api', { ...config, mongodbUri }, () => undefined);
  const unreachable = createApiContext(scope);
  const opened = unreachable.connected.catch(() => undefined);
  const { url, close } = await listen(createPartnerApp(unreachable), '127.0.0.1', 0);
  closing.set(url, async () => {
    abort();
    await close();
    await release();
    await opened;
  });
  return url;
}

export async function stopListening(_context: unknown, url: string): Promise<void> {
  await closing.get(url)?.();
  closing.delete(url);
}
