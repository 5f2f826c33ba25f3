import type { RequestHandler } from 'express';
import type { Db } from '../platform/mongo.ts';
import { counter, histogram } from '../platform/process-metrics.ts';
import { isAborted, routeOf } from './trace-requests.ts';

const durations = histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from the first byte of a request to the end of its response, by route pattern.',
  labelNames: ['listener', 'method', 'route', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
});
const replays = counter({
  name: 'http_request_replays_total',
  help: 'Requests that got the stored result of an earlier request with the same idempotency key.',
  labelNames: ['route'],
});

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Measures each request of a listener. Labels have few values: none contains a path or a caller. */
export function measureRequests(db: Db, listener: 'partner' | 'admin'): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    res.once('close', () => {
      const route = routeOf(req);
      const method = METHODS.has(req.method) ? req.method : 'other';
      const status = isAborted(req, res) ? 'aborted' : String(res.statusCode);
      const labels = { listener, method, route, status };
      durations(db).observe(labels, (performance.now() - startedAt) / 1000);
      if (res.getHeader('Idempotent-Replayed') !== undefined) replays(db).inc({ route });
    });
    next();
  };
}
