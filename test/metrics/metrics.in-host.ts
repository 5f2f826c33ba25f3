import { createBaseApp } from '../../src/http/base-app.ts';
import { mountMetrics } from '../../src/operations/metrics/metrics-page.ts';
import type { Service } from '../support/service.ts';
import { listenUntilStop } from '../support/service-stop.ts';

type Context = Service['context'];

/** How often the page of `openPage` has queried the database. */
const queries = new WeakMap<Context, number>();

/** Serves the page as another process, counting its database queries; returns its address. */
export async function openPage(context: Context): Promise<string> {
  const app = createBaseApp(context.log);
  const missingGuards = async () => {
    queries.set(context, countQueries(context) + 1);
    return [];
  };
  mountMetrics(app, { ...context, missingGuards });
  return listenUntilStop(context, app);
}

export const countQueries = (context: Context): number => queries.get(context) ?? 0;
