import type { Clock } from '../../platform/clock.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import type { Db } from '../../platform/mongo.ts';
import { singleFlightByKey } from '../../platform/single-flight.ts';
import { listSubscriptions } from '../subscriptions/subscriptions.store.ts';
import { countDeadLetters, findAttemptStatistics } from './delivery-statistics.store.ts';

const WINDOW_HOURS = 24;

const readingsOf = memoizeByObject(singleFlightByKey<Record<string, unknown>>);

/** The health of a partner's subscriptions and recent deliveries: costly, so concurrent calls share a response. */
export function readHealth(deps: { db: Db; clock: Clock }, partnerId: string): Promise<Record<string, unknown>> {
  return readingsOf(deps.db)(partnerId, () => workOutHealth(deps, partnerId));
}

async function workOutHealth(deps: { db: Db; clock: Clock }, partnerId: string) {
  const now = deps.clock.now();
  const since = new Date(now.getTime() - WINDOW_HOURS * 3_600_000);
  const summary = await findAttemptStatistics(deps.db, partnerId, since);
  const deadLetters = await countDeadLetters(deps.db, { partnerId });
  const subscriptions = await listSubscriptions(deps.db, partnerId);
  return {
    generated_at: now.toISOString(),
    summary: {
      window_hours: WINDOW_HOURS,
      events: summary.events,
      deliveries: {
        pending: summary.countIn('pending'),
        retrying: summary.countIn('retrying'),
        succeeded: summary.countIn('succeeded'),
        dead_letter: summary.countIn('dead_letter'),
      },
      attempts: summary.attempts,
      success_rate: summary.attempts === 0 ? null : summary.succeeded / summary.attempts,
      latency_ms: {
        p50: percentile(summary.durationsMs, 50),
        p95: percentile(summary.durationsMs, 95),
        p99: percentile(summary.durationsMs, 99),
      },
    },
    subscriptions: subscriptions.map((row) => ({
      id: row._id,
      endpoint_url: row.endpointUrl,
      status: row.status,
      last_success_at: row.lastSuccessAt?.toISOString() ?? null,
      last_failure_at: row.lastFailureAt?.toISOString() ?? null,
      consecutive_failures: row.consecutiveFailures,
      dead_letter: deadLetters.get(row._id) ?? 0,
    })),
  };
}

/** The nearest-rank percentile: the smallest value such that `percent` % of all values are at most as large. */
export function percentile(ascending: readonly number[], percent: number): number | null {
  const rank = Math.ceil((percent / 100) * ascending.length);
  return ascending[Math.max(rank, 1) - 1] ?? null;
}
