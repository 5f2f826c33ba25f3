import type { Db } from '../platform/mongo.ts';
import { counter, histogram } from '../platform/process-metrics.ts';
import type { ObserveRequest } from './measure-requests.ts';

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

/** Counts the requests of a listener of this process. */
export function observeRequests(db: Db, listener: 'partner' | 'admin'): ObserveRequest {
  return ({ method, route, status, seconds, isReplay }) => {
    durations(db).observe({ listener, method, route, status }, seconds);
    if (isReplay) replays(db).inc({ route });
  };
}
