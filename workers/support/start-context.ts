import { serveHealth } from '../../src/main/worker-app.ts';
import { startAlerting } from '../../src/operations/alerts/start-alerting.ts';
import { missingGuards } from '../../src/operations/database/collections.ts';
import { untilGuarded, untilUsable } from '../../src/operations/database/guards.ts';
import type { WorkerConfig } from '../../src/process/config/config.ts';
import type { WorkerContext } from '../../src/process/context.ts';
import { createContext } from '../../src/process/context.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';

/**
 * What a worker works with, once the database is reachable and has its guards; meanwhile it watches for what operators are
 * alerted of.
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
