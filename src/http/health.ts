import type { Express } from 'express';
import Joi from 'joi';
import type { Progress } from '../platform/progress.ts';
import { WRITE_REFUSALS } from '../platform/redis.ts';
import { singleFlight } from '../platform/single-flight.ts';
import { ZONE_DATA } from '../platform/zone-data.ts';
import type { Queues } from '../queues/queues.ts';
import { mountGet } from './mount-routes.ts';
import { growing, named, object } from './response-fields.ts';
import type { Operation } from './route.ts';
import { sendJson } from './send-json.ts';

const stateOfRedis = () =>
  growing(Joi.string().valid('ok', 'unreachable', ...WRITE_REFUSALS.map((code) => `refuses writes: ${code}`)))
    .description('Reported, not required. If Redis responds but rejects writes, the value contains its error code.')
    .example('ok');

export const HEALTH_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/healthz',
    operationId: 'checkLife',
    tag: 'Service',
    summary: 'Check that the process is alive',
    responses: {
      200: { description: 'It is alive.', body: object({ status: Joi.string().valid('ok').example('ok') }) },
      503: {
        description: 'The process responds, but some of its regular work has stalled: restart it.',
        body: named(
          'Stalled',
          object({
            status: Joi.string().valid('stalled').example('stalled'),
            stalled: Joi.array().items(
              object({
                name: Joi.string().example('sweep lapsed-holds'),
                silent_seconds: Joi.number()
                  .integer()
                  .description('How long it has been silent, in seconds.')
                  .example(130),
              }),
            ),
          }),
        ),
      },
    },
    errors: [],
    isPublic: true,
  },
  {
    method: 'get',
    path: '/readyz',
    operationId: 'checkReadiness',
    tag: 'Service',
    summary: 'Check that calls can be served',
    responses: {
      200: {
        description: 'Calls can be served.',
        body: object({
          status: Joi.string().valid('ready').example('ready'),
          database: Joi.string().valid('ok').example('ok'),
          redis: stateOfRedis(),
          zone_data: Joi.string().description('The release of the time zone database in the process.').example('2026b'),
        }),
      },
      503: {
        description:
          'Calls cannot be served: the database is unreachable, or lacks a guard index or validator. Or the process is `stopping`: it still serves calls, but should get no more.',
        body: named(
          'NotReady',
          object({
            status: Joi.string().valid('unavailable', 'stopping').example('unavailable'),
            database: Joi.string().valid('ok', 'unreachable').example('unreachable').optional(),
            redis: stateOfRedis(),
            missing_indexes: Joi.array().items(Joi.string()).optional(),
            remedy: Joi.string().optional(),
          }),
        ),
      },
    },
    errors: [],
    isPublic: true,
  },
];

type HealthDeps = {
  /** Names of guard indexes that the database lacks; rejects if MongoDB cannot be reached. */
  missingGuards: () => Promise<string[]>;
  queues: Pick<Queues, 'tryWrite'>;
  progress: Pick<Progress, 'stalls'>;
  stopping: AbortSignal;
};

/**
 * `/healthz`: 503 if regular work has stalled. An unavailable MongoDB or Redis is no stall, since a restart would not
 * help. `/readyz`: 503 if the database or its guard indexes are missing, or the process is stopping. Redis is reported
 * but not required. Neither needs a key.
 */
export function mountHealth(app: Express, deps: HealthDeps): void {
  mountGet(app, '/healthz', (req, res) => {
    const stalled = deps.progress.stalls();
    if (stalled.length === 0) return sendJson(req, res, { status: 'ok' });
    res.status(503).json({ status: 'stalled', stalled });
    return undefined;
  });
  const redisState = singleFlight(deps.queues.tryWrite);
  mountGet(app, '/readyz', async (_req, res) => {
    const [redis, missing] = await Promise.all([redisState(), deps.missingGuards().catch(() => undefined)]);
    if (deps.stopping.aborted) {
      res.status(503).json({ status: 'stopping', redis });
      return;
    }
    if (missing === undefined) res.status(503).json({ status: 'unavailable', database: 'unreachable', redis });
    else if (missing.length > 0) {
      const remedy = 'Run the migrate command against this database.';
      res.status(503).json({ status: 'unavailable', database: 'ok', redis, missing_indexes: missing, remedy });
    } else res.json({ status: 'ready', database: 'ok', redis, zone_data: ZONE_DATA });
  });
}
