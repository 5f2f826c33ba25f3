import type { Dashboard } from '../grafana.ts';
import { API, DEPLOYMENT, OWN, perSecond } from './expressions.ts';

export const DATABASE: Dashboard = {
  uid: 'partner-booking-database',
  title: 'Partner Booking: databases',
  description: 'MongoDB and Redis as seen by the processes, work that waits in MongoDB, and purged rows.',
  panels: [
    {
      isStat: true,
      title: 'MongoDB responds',
      unit: 'bool_yes_no',
      threshold: { at: 1, below: true },
      description: 'To any API process, within 1.5 s.',
      runbook: 'bookingdatabasedown',
      queries: [{ legend: 'MongoDB', expr: `max(pbs_database_up{${DEPLOYMENT}})` }],
    },
    {
      isStat: true,
      title: 'Redis responds',
      unit: 'bool_yes_no',
      threshold: { at: 1, below: true },
      description: 'To any API process, within 1.5 s.',
      runbook: 'bookingredisdown',
      queries: [{ legend: 'Redis', expr: `max(pbs_redis_up{${DEPLOYMENT}})` }],
    },
    {
      isStat: true,
      title: 'Guards missing',
      unit: 'short',
      threshold: { at: 1 },
      description: 'Missing indexes and validators. Without them, the service sells nothing.',
      runbook: 'bookingguardmissing-guard_index_absent',
      queries: [{ legend: 'missing', expr: `max(pbs_guard_indexes_missing{${DEPLOYMENT}})` }],
    },
    {
      isStat: true,
      title: 'API processes without a lease',
      unit: 'short',
      threshold: { at: 1 },
      description: 'These processes place no holds: MongoDB does not confirm in time that it is the primary.',
      runbook: 'bookingmemoryleaselost',
      queries: [{ legend: 'without', expr: `count(memory_leased{${API}} == 0) or vector(0)` }],
    },
    {
      title: 'Connections in use',
      unit: 'short',
      threshold: { at: 64 },
      description: 'Connections to MongoDB that run a command. A process has up to 64 per server.',
      queries: [{ legend: '{{instance}}', expr: `mongodb_connections_in_use{${OWN}}` }],
    },
    {
      title: 'Commands that wait for a connection',
      unit: 'short',
      runbook: 'bookingdatabasepoolexhausted',
      description: 'Harmless in a burst. If they wait at every scrape, the pool is too small for the load.',
      queries: [{ legend: '{{instance}}', expr: `mongodb_connection_waiters{${OWN}}` }],
    },
    {
      title: 'Overdue holds',
      unit: 's',
      threshold: { at: 60 },
      runbook: 'bookingholdsoverdue-hold_overdue',
      description: 'How long ago the oldest overdue hold should have expired.',
      queries: [{ legend: 'oldest', color: 'orange', expr: `max(pbs_hold_oldest_overdue_seconds{${DEPLOYMENT}})` }],
    },
    {
      title: 'Holds',
      unit: 'short',
      description: 'Active holds, counted up to 100,000, and those past their expiry time, counted up to 10,000.',
      queries: [
        { legend: 'active', color: 'blue', expr: `max(pbs_holds_active{${DEPLOYMENT}})` },
        { legend: 'overdue', color: 'orange', expr: `max(pbs_holds_overdue{${DEPLOYMENT}})` },
      ],
    },
    {
      title: 'Reservations with undispatched events',
      unit: 'short',
      description: 'Counted up to 10,000.',
      queries: [{ legend: 'waiting', color: 'orange', expr: `max(pbs_reservations_undispatched{${DEPLOYMENT}})` }],
    },
    {
      title: 'Catalogue',
      unit: 'short',
      description: 'Venues, resources and partners, as estimated by MongoDB.',
      queries: [{ legend: '{{of}}', expr: `max by (of) (pbs_catalogue_entries{${DEPLOYMENT}})` }],
    },
    {
      title: 'Rows purged',
      unit: 'ops',
      description: 'Rows deleted after their retention time, by collection.',
      queries: [{ legend: '{{collection}}', expr: perSecond(`retention_purged_total{${OWN}}`, 'collection') }],
    },
    {
      title: 'Time since the last complete purge',
      unit: 's',
      threshold: { at: 172_800 },
      runbook: 'bookingpurgelate',
      description:
        'Time since a purge last deleted all due rows of a collection, or since the first attempt if none has.',
      queries: [
        {
          legend: '{{collection}}',
          expr: `time() - max by (collection) (pbs_retention_completed_timestamp_seconds{${DEPLOYMENT}})`,
        },
      ],
    },
  ],
};
