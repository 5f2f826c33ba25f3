import type { Express } from 'express';
import { createBaseApp } from '../http/base-app.ts';
import { errorHandler } from '../http/error-handler.ts';
import { mountHealth } from '../http/health.ts';
import { listen } from '../http/listen.ts';
import { notFound } from '../http/mount-routes.ts';
import { missingGuards } from '../operations/database/collections.ts';
import { mountProcessMetrics } from '../operations/metrics/metrics-page.ts';
import { processMetrics } from '../platform/process-metrics.ts';
import { singleFlight } from '../platform/single-flight.ts';
import type { WorkerConfig } from '../process/config/config.ts';
import type { WorkerContext } from '../process/context.ts';
import type { ProcessScope } from '../process/lifecycle.ts';

/** Serves health and metrics of a worker until it stops. @throws Error if the port is taken */
export async function serveHealth(
  scope: ProcessScope<WorkerConfig>,
  context: WorkerContext<unknown>,
): Promise<{ url: string }> {
  const { adminHost, healthPort } = scope.config;
  const listener = await listen(createWorkerApp(context), adminHost, healthPort).catch((err: unknown) => {
    if ((err as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw err;
    throw new Error(
      `HEALTH_PORT ${healthPort} is taken on ${adminHost}, perhaps by another worker of this machine. Give each its own, or 0 for any free one.`,
    );
  });
  scope.onStop('health', () => listener.close());
  scope.log.info({ url: listener.url }, 'serves health and metrics');
  return listener;
}

function createWorkerApp(context: WorkerContext<unknown>): Express {
  const app = createBaseApp(context.log);
  const { db, progress } = context;
  mountHealth(app, { ...context, missingGuards: singleFlight(() => missingGuards(db)) });
  mountProcessMetrics(app, processMetrics(db), progress);
  app.use(notFound);
  app.use(errorHandler);
  return app;
}
