import { countVenuesAndResources } from '../../catalog/venues/venues.store.ts';
import { countPartners } from '../../partners/partners.store.ts';
import type { Db } from '../../platform/mongo.ts';
import type { Queues } from '../../queues/queues.ts';
import { countActiveHolds, findOverdueHoldBacklog } from '../../reservations/hold-reads.store.ts';
import { findUndispatchedBacklog } from '../../reservations/outbox.store.ts';
import { measureUndispatched } from '../../webhooks/deliveries/delivery-health.service.ts';
import { countInState, findDueBacklog } from '../../webhooks/deliveries/delivery-statistics.store.ts';
import { countUnhealthy, findFailing } from '../../webhooks/subscriptions/subscription-health.store.ts';
import { FAILING_MS } from '../alerts/alerts.service.ts';
import { countOpenAlerts } from '../alerts/alerts.store.ts';
import { readDeadLetterTotal } from '../alerts/counters.store.ts';
import { listPurges } from '../retention/purges.store.ts';
import { readDiskUsed } from './database-disk.store.ts';
import type { Figures } from './figures.ts';

export type FigureDeps = { db: Db; missingGuards: () => Promise<string[]> };

/** Reads figures of the whole service, which are the same in every process. */
type Reading = () => Promise<Figures>;

const MAX_FAILING = 10_000;

const seconds = (ms = 0) => ms / 1000;

/** Reads the figures in the database, by index and with bounded counts; rejects if the database is unreachable. */
export function databaseReadings({ db, missingGuards }: FigureDeps): Reading[] {
  return [
    async () => ({ pbs_guard_indexes_missing: (await missingGuards()).length }),
    async () => ({ pbs_deliveries: { pending: await countInState(db, 'pending') } }),
    async () => ({ pbs_deliveries: { retrying: await countInState(db, 'retrying') } }),
    async () => ({ pbs_deliveries: { dead_letter: await countInState(db, 'dead_letter') } }),
    async () => ({ pbs_delivery_oldest_due_seconds: seconds((await findDueBacklog(db))?.ageMs) }),
    async () => {
      const [reservations, all] = await Promise.all([findUndispatchedBacklog(db, 0), measureUndispatched(db, 0)]);
      return {
        pbs_reservations_undispatched: reservations?.count ?? 0,
        pbs_event_oldest_undispatched_seconds: seconds(all?.ageMs),
      };
    },
    async () => ({ pbs_holds_active: await countActiveHolds(db) }),
    async () => {
      const overdue = await findOverdueHoldBacklog(db, 0);
      return { pbs_holds_overdue: overdue?.count ?? 0, pbs_hold_oldest_overdue_seconds: seconds(overdue?.ageMs) };
    },
    async () => ({ pbs_endpoints_failing: (await findFailing(db, FAILING_MS, MAX_FAILING)).length }),
    async () => ({ pbs_endpoints_unhealthy: await countUnhealthy(db) }),
    async () => ({ pbs_alerts_open: await countOpenAlerts(db) }),
    async () => ({ pbs_dead_letters_total: await readDeadLetterTotal(db) }),
    async () => {
      const purges = await listPurges(db);
      const completed = purges.map(({ _id, completedAt: at }) => [_id, seconds(at.getTime())] as const);
      return { pbs_retention_completed_timestamp_seconds: Object.fromEntries(completed) };
    },
    async () => {
      const used = await readDiskUsed(db);
      return used === undefined ? {} : { pbs_database_disk_used_ratio: used };
    },
    async () => {
      const catalogue = await countVenuesAndResources(db);
      return { pbs_catalogue_entries: { ...catalogue, partners: await countPartners(db) } };
    },
  ];
}

export function redisReadings(queues: Pick<Queues, 'readStates' | 'readServers' | 'tryWrite'>): Reading[] {
  return [
    async () => {
      const state = await queues.tryWrite();
      return state === 'unreachable' ? {} : { pbs_redis_refuses_writes: Number(state !== 'ok') };
    },
    async () => {
      const servers = await queues.readServers();
      return servers === undefined
        ? {}
        : {
            ...(servers.isPersistent !== undefined && { pbs_redis_persistent: Number(servers.isPersistent) }),
            pbs_redis_persistence_failing: Number(servers.isPersistenceFailing),
            pbs_redis_memory_used_ratio: servers.memoryUsed,
          };
    },
    async () => {
      const states = await queues.readStates();
      if (states === undefined) return {};
      const paused: Record<string, number> = {};
      const workerCounts: Record<string, number> = {};
      for (const { name, isPaused, workers } of states) {
        paused[name] = Number(isPaused);
        if (workers !== null) workerCounts[name] = workers;
      }
      return { pbs_queue_paused: paused, pbs_queue_workers: workerCounts };
    },
  ];
}
