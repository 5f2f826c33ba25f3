import type { AlertKind } from '../alerts/alert-types.ts';
import { ALERT_TIMES, alertFigures } from '../alerts/alerts.service.ts';
import type { Db } from '../platform/mongo.ts';
import {
  activeHolds,
  overdueHolds,
  undispatchedBacklog,
} from '../reservations/reservation-backlog.service.ts';
import { deliveryBacklog, failingSubscriptions } from '../webhooks/delivery-health.service.ts';

export type FigureDeps = { db: Db; missingGuards: () => Promise<string[]> };

/** How the whole service fares, by what the database holds: the same from every process. Ages are in seconds, 0 without any. */
export type ServiceFigures = {
  missingGuards: number;
  deliveries: { pending: number; retrying: number; dead_letter: number };
  oldestDueSeconds: number;
  undispatched: number;
  oldestUndispatchedSeconds: number;
  activeHolds: number;
  oldestOverdueSeconds: number;
  failingEndpoints: number;
  openAlerts: ReadonlyMap<AlertKind, number>;
  deadLettersTotal: number;
};

const MAX_FAILING = 10_000;

/** Reads all figures at once, by index, with bounds on what is counted. Rejects where the database cannot be reached. */
export async function readServiceFigures(deps: FigureDeps): Promise<ServiceFigures> {
  const [missing, { byState, due }, undispatched, holds, overdue, failing, alerts] = await Promise.all([
    deps.missingGuards(),
    deliveryBacklog(deps),
    undispatchedBacklog(deps, 0),
    activeHolds(deps),
    overdueHolds(deps, 0),
    failingSubscriptions(deps, ALERT_TIMES.failingMs, MAX_FAILING),
    alertFigures(deps),
  ]);
  const { pending = 0, retrying = 0, dead_letter: dead = 0 } = byState;
  return {
    missingGuards: missing.length,
    deliveries: { pending, retrying, dead_letter: dead },
    oldestDueSeconds: seconds(due),
    undispatched: undispatched?.count ?? 0,
    oldestUndispatchedSeconds: seconds(undispatched),
    activeHolds: holds,
    oldestOverdueSeconds: seconds(overdue),
    failingEndpoints: failing.length,
    openAlerts: alerts.open,
    deadLettersTotal: alerts.deadLetters,
  };
}

function seconds(backlog: { ageMs: number } | null): number {
  return (backlog?.ageMs ?? 0) / 1000;
}
