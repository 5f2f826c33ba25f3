import { loadConfig } from '../../src/process/config/config.ts';
import { startHoldExpiry } from '../../workers/support/hold-expiry.ts';
import { startWebhookDelivery } from '../../workers/support/webhook-delivery.ts';
import { type TestScope, testScope } from './process-scope.ts';

/**
 * Starts one worker of each kind on a service's database and queues, in this process, for suites that do not kill
 * workers. `environment`: the service's.
 */
export async function startWorkers(environment: Record<string, string>) {
  const lines: string[] = [];
  const scopes: Pick<TestScope<unknown>, 'abort' | 'release'>[] = [];
  const scopeOf = <Settings extends { logLevel: string }>(name: string, config: Settings) => {
    const made = testScope(name, config, (line) => void lines.push(line));
    scopes.push(made);
    return made.scope;
  };
  await startHoldExpiry(scopeOf('hold-expiry', loadConfig(environment, 'hold-expiry')));
  await startWebhookDelivery(scopeOf('webhook-delivery', loadConfig(environment, 'webhook-delivery')));
  return {
    /** Their log so far, line by line. */
    log: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    /** Stops them as SIGTERM does. */
    stop: async () => {
      for (const { abort } of scopes) abort();
      for (const { release } of scopes.toReversed()) await release();
    },
  };
}
export type Workers = Awaited<ReturnType<typeof startWorkers>>;
