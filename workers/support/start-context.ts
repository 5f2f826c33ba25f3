import { serveHealth } from '../../src/main/worker-app.ts';
import { startAlerting } from '../../src/operations/alerts/start-alerting.ts';
import { missingGuards } from '../../src/operations/database/collections.ts';
import { untilGuarded, untilUsable } from '../../src/operations/database/guards.ts';
import type { WorkerConfig } from '../../src/process/config/config.ts';
import { createContext, type WorkerContext } from '../../src/process/context.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';

/**
 * A worker's context, once the database has its guards (indexes, validators). Alerting and health start before that.
 */
export async function startContext<Settings extends WorkerConfig>(
  scope: ProcessScope<Settings>,
): Promise<WorkerContext<Settings>> {
  const context = createContext(scope);
  await serveHealth(scope, context);
  await context.connected;
  await untilUsable(scope, context.db);
  startAlerting(scope, context, missingGuards);
  await untilGuarded(scope, context.db);
  return context;
}
