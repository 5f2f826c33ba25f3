import { startAlerting } from '../../src/alerts/start-alerting.ts';
import { serveHealth } from '../../src/apps/worker-app.ts';
import type { WorkerConfig } from '../../src/config/config.ts';
import { missingGuards } from '../../src/database/collections.ts';
import { untilGuarded, untilUsable } from '../../src/database/guards.ts';
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
