import type { AlertKind } from '../alerts/alert-types.ts';
import { ALERT_TIMES } from '../alerts/alerts.service.ts';
import { countOpenAlerts } from '../alerts/alerts.store.ts';
import { readDeadLetterTotal } from '../alerts/counters.store.ts';
import { countInState, findDueBacklog } from '../deliveries/delivery-health.store.ts';
import { countPartners } from '../partners/partners.store.ts';
import type { Backlog } from '../platform/backlog.store.ts';
import type { Db } from '../platform/mongo.ts';
import {
  countActiveHolds,
  findOverdueHolds,
  findUndispatched,
} from '../reservations/reservation-backlog.store.ts';
import { findPurgesCompleted } from '../retention/purges.store.ts';
import { countUnhealthy, findFailing } from '../subscriptions/subscription-health.store.ts';
import { countVenuesAndResources } from '../venues/venues.store.ts';
import { readDiskUsed } from './database-disk.store.ts';

export type FigureDeps = { db: Db; missingGuards: () => Promise<string[]> };

/** How the whole service fares, by what the database holds: the same from every process. A backlog is null without any. */
export type ServiceFigures = {
  missingGuards: number;
  pending: number;
  retrying: number;
  deadLetters: number;
  due: Backlog | null;
  undispatched: Backlog | null;
  activeHolds: number;
  overdueHolds: Backlog | null;
  failingEndpoints: number;
  unhealthyEndpoints: number;
  openAlerts: ReadonlyMap<AlertKind, number>;
  deadLettersTotal: number;
  /** By the kind of rows. */
  purgesCompleted: ReadonlyMap<string, Date>;
  diskUsed: number | undefined;
  catalogue: { venues: number; resources: number; partners: number };
};

export type FigureReaders = { [Name in keyof ServiceFigures]: () => Promise<ServiceFigures[Name]> };

const MAX_FAILING = 10_000;

/** How to read each figure, by index, with bounds on what is counted. Each rejects where the database cannot be reached. */
export function figureReaders(deps: FigureDeps): FigureReaders {
  return {
    missingGuards: async () => (await deps.missingGuards()).length,
    pending: () => countInState(deps.db, 'pending'),
    retrying: () => countInState(deps.db, 'retrying'),
    deadLetters: () => countInState(deps.db, 'dead_letter'),
    due: () => findDueBacklog(deps.db),
    undispatched: () => findUndispatched(deps.db, 0),
    activeHolds: () => countActiveHolds(deps.db),
    overdueHolds: () => findOverdueHolds(deps.db, 0),
    failingEndpoints: async () => (await findFailing(deps.db, ALERT_TIMES.failingMs, MAX_FAILING)).length,
    unhealthyEndpoints: () => countUnhealthy(deps.db),
    openAlerts: () => countOpenAlerts(deps.db),
    deadLettersTotal: () => readDeadLetterTotal(deps.db),
    purgesCompleted: () => findPurgesCompleted(deps.db),
    diskUsed: () => readDiskUsed(deps.db),
    catalogue: async () => ({
      ...(await countVenuesAndResources(deps.db)),
      partners: await countPartners(deps.db),
    }),
  };
}

/**
 * Reads all figures at once, each as `settle` has it, which returns undefined for one that fails or is late: it is absent, and
 * the others are there.
 */
export async function readServiceFigures(
  readers: FigureReaders,
  settle: <T>(work: Promise<T>) => Promise<T | undefined>,
): Promise<Partial<ServiceFigures>> {
  const read = async ([name, reader]: [string, () => Promise<unknown>]) =>
    [name, await settle(reader())] as const;
  const figures = await Promise.all(Object.entries(readers).map(read));
  return Object.fromEntries(figures.filter(([, figure]) => figure !== undefined));
}
