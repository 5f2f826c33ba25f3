import { Counter, Gauge, Registry } from 'prom-client';
import { ALERT_KINDS } from '../alerts/alert-types.ts';
import type { ServiceFigures } from './service-figures.service.ts';

export type Reached = { figures: ServiceFigures | undefined; isRedisUp: boolean };

/**
 * What the service as a whole fares like, in the exposition format of Prometheus. Series that could not be read are absent,
 * which says more than a stale or invented figure; `pbs_database_up` tells.
 */
export async function exposeService({ figures, isRedisUp }: Reached): Promise<string> {
  const registry = new Registry();
  const gauge = (name: string, help: string, value: number) =>
    new Gauge({ name, help, registers: [registry] }).set(value);
  gauge('pbs_database_up', 'Whether MongoDB answered this scrape in time.', Number(figures !== undefined));
  gauge('pbs_redis_up', 'Whether Redis answered this scrape in time.', Number(isRedisUp));
  if (figures === undefined) return registry.metrics();

  gauge('pbs_guard_indexes_missing', 'Guard indexes that the database lacks.', figures.missingGuards);
  gauge('pbs_holds_active', 'Holds that claim their slot.', figures.activeHolds);
  gauge(
    'pbs_hold_oldest_overdue_seconds',
    'How long the oldest lapsed hold has not been ended.',
    figures.oldestOverdueSeconds,
  );
  gauge(
    'pbs_reservations_undispatched',
    'Reservations with events that wait to be dispatched, up to 10,000.',
    figures.undispatched,
  );
  gauge(
    'pbs_event_oldest_undispatched_seconds',
    'How long the oldest event has waited to be dispatched.',
    figures.oldestUndispatchedSeconds,
  );
  gauge(
    'pbs_delivery_oldest_due_seconds',
    'How long the oldest due attempt of a delivery has waited.',
    figures.oldestDueSeconds,
  );
  gauge(
    'pbs_endpoints_failing',
    'Active subscriptions that have failed for an hour without a success.',
    figures.failingEndpoints,
  );
  labelled(registry, figures);
  return registry.metrics();
}

function labelled(registry: Registry, figures: ServiceFigures): void {
  const deliveries = new Gauge({
    name: 'pbs_deliveries',
    help: 'Webhook deliveries that are no success, by state, each up to 100,000.',
    labelNames: ['state'],
    registers: [registry],
  });
  for (const [state, count] of Object.entries(figures.deliveries)) deliveries.set({ state }, count);
  const alerts = new Gauge({
    name: 'pbs_alerts_open',
    help: 'Open alerts by kind.',
    labelNames: ['kind'],
    registers: [registry],
  });
  for (const kind of ALERT_KINDS) alerts.set({ kind }, figures.openAlerts.get(kind) ?? 0);
  new Counter({
    name: 'pbs_dead_letters_total',
    help: 'Deliveries that were ever dead-lettered, counted in the database.',
    registers: [registry],
  }).inc(figures.deadLettersTotal);
}
