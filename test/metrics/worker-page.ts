import { serveHealth } from '../../src/main/worker-app.ts';
import { processMetrics } from '../../src/platform/process-metrics.ts';
import { loadConfig } from '../../src/process/config/config.ts';
import { createContext } from '../../src/process/context.ts';
import { WORKED_QUEUES } from '../../src/queues/jobs.ts';
import { startHoldExpiry } from '../../workers/support/hold-expiry.ts';
import { startWebhookDelivery } from '../../workers/support/webhook-delivery.ts';
import { type Family, parseExposition } from '../support/exposition.ts';
import { testScope } from '../support/process-scope.ts';

/** Loading these modules defines a worker's metrics. */
const LOADED = [startHoldExpiry, startWebhookDelivery];

/**
 * The metrics page of a worker that has loaded the modules of all workers, and the labels of every metric, even without
 * samples.
 */
export async function workerPage(
  environment: Record<string, string>,
): Promise<{ families: Map<string, Family>; labels: Map<string, readonly string[]> }> {
  if (LOADED.length !== WORKED_QUEUES.length) throw new Error('There is another kind of worker');
  const { scope, abort, release } = testScope('hold-expiry', loadConfig(environment, 'hold-expiry'), () => undefined);
  const worker = createContext(scope);
  await worker.connected;
  const { url } = await serveHealth(scope, worker);
  const families = parseExposition(await (await fetch(`${url}/metrics`)).text());
  const defined = processMetrics(worker.db).getMetricsAsArray() as unknown as {
    name: string;
    labelNames: string[];
  }[];
  abort();
  await release();
  return { families, labels: new Map(defined.map(({ name, labelNames }) => [name, labelNames])) };
}
