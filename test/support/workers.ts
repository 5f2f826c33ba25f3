import { loadConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/platform/logger.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';
import { startEventDispatch } from '../../workers/support/event-dispatch.ts';
import { startHoldExpiry } from '../../workers/support/hold-expiry.ts';
import { startWebhookDelivery } from '../../workers/support/webhook-delivery.ts';

export type Workers = {
  /** What they logged so far, line by line. */
  log(): Record<string, unknown>[];
  /** Stops them as SIGTERM does. */
  stop(): Promise<void>;
};

/**
 * Starts one worker of each kind on a service's database and queues, in this process: for suites that kill none. `environment` is
 * the service's.
 */
export async function startWorkers(environment: Record<string, string>): Promise<Workers> {
  const lines: string[] = [];
  const stops: AbortController[] = [];
  const releases: (() => Promise<unknown>)[] = [];
  const scopeOf = <Settings extends { logLevel: string }>(
    name: string,
    config: Settings,
  ): ProcessScope<Settings> => {
    const stopping = new AbortController();
    stops.push(stopping);
    return {
      config,
      log: createLogger(name, config.logLevel, { write: (line) => void lines.push(line) }),
      stopping: stopping.signal,
      stop: () => undefined,
      fail: (reason) => void lines.push(JSON.stringify({ msg: reason.message })),
      onStop: (_label, release) => void releases.push(release),
    };
  };
  await startHoldExpiry(scopeOf('hold-expiry', loadConfig(environment, 'hold-expiry')));
  await startEventDispatch(scopeOf('event-dispatch', loadConfig(environment, 'event-dispatch')));
  await startWebhookDelivery(scopeOf('webhook-delivery', loadConfig(environment, 'webhook-delivery')));
  return {
    log: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    stop: async () => {
      for (const stopping of stops) stopping.abort();
      for (const release of releases.reverse()) await release();
    },
  };
}
