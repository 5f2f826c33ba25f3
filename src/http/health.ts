import type { Express } from 'express';

export type HealthDeps = {
  /** Names of guard indexes that the database lacks; rejects where it cannot be reached. */
  missingGuards: () => Promise<string[]>;
  isRedisReady: () => boolean;
};

/**
 * `/healthz`: the process lives. `/readyz`: the database answers and its guard indexes are there, else 503 with what is
 * missing; Redis is reported but not required (operator interface, "Listeners"). Neither needs a key.
 */
export function mountHealth(app: Express, deps: HealthDeps): void {
  app.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  app.get('/readyz', async (_req, res) => {
    const redis = deps.isRedisReady() ? 'ok' : 'unreachable';
    const missing = await deps.missingGuards().catch(() => undefined);
    if (missing === undefined)
      res.status(503).json({ status: 'unavailable', database: 'unreachable', redis });
    else if (missing.length > 0) {
      const remedy = 'Run the migrate command against this database.';
      res
        .status(503)
        .json({ status: 'unavailable', database: 'ok', redis, missing_indexes: missing, remedy });
    } else res.json({ status: 'ready', database: 'ok', redis });
  });
}
