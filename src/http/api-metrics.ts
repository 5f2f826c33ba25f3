import type { Registry } from 'prom-client';
import { Counter, Histogram } from 'prom-client';
import type { ObserveRequest } from './measure-requests.ts';

/** What one API process counts by itself. Sums over the processes are right; each begins at 0 with its process. */
export type ApiMetrics = {
  registry: Registry;
  /** Counts the requests of a listener. */
  observe: (listener: 'partner' | 'admin') => ObserveRequest;
  countWrongKey: (listener: 'partner' | 'admin') => void;
};

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Counts in the registry of the process, `processMetrics`. */
export function createApiMetrics(registry: Registry): ApiMetrics {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its response, by route pattern.',
    labelNames: ['listener', 'method', 'route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  });
  const replays = new Counter({
    name: 'http_request_replays_total',
    help: 'Requests that got the stored result of an earlier request with the same idempotency key.',
    labelNames: ['route'],
    registers: [registry],
  });
  const wrongKeys = new Counter({
    name: 'http_wrong_keys_total',
    help: 'Keys that were sent and are not right: unknown, expired or revoked.',
    labelNames: ['listener'],
    registers: [registry],
  });
  return {
    registry,
    countWrongKey: (listener) => wrongKeys.inc({ listener }),
    observe:
      (listener) =>
      ({ method, route, status, seconds, isReplay }) => {
        durations.observe({ listener, method, route, status }, seconds);
        if (isReplay) replays.inc({ route });
      },
  };
}
