import type { Dashboard } from '../grafana.ts';
import { API, DEPLOYMENT, OWN, perSecond } from './expressions.ts';

export const DATABASE: Dashboard = {
  uid: 'partner-booking-database',
  title: 'Partner Booking: databases',
  description: 'MongoDB and Redis as the processes see them, work waiting in MongoDB, and purged rows.',
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
      description: 'Indexes and validators without which nothing is sold.',
      runbook: 'bookingguardmissing-guard_index_absent',
      queries: [{ legend: 'missing', expr: `max(pbs_guard_indexes_missing{${DEPLOYMENT}})` }],
    },
    {
      isStat: true,
      title: 'API processes without a lease',
      unit: 'short',
      threshold: { at: 1 },
      ...{
        description: 'They place no holds: MongoDB does not confirm in time that it is the primary.',
        runbook: 'bookingmemoryleaselost',
      },
      queries: [{ legend: 'without', expr: `count(memory_leased{${API}} == 0) or vector(0)` }],
    },
    {
      title: 'Connections in use',
      unit: 'short',
      threshold: { at: 64 },
      description: 'Connections to MongoDB that run a command; a process has up to 64 a server.',
      queries: [{ legend: '{{instance}}', expr: `mongodb_connections_in_use{${OWN}}` }],
    },
    {
      ...{
        title: 'Commands that wait for a connection',
        unit: 'short',
        runbook: 'bookingdatabasepoolexhausted',
      },
      description: 'Some in a burst are no harm; at every scrape they are.',
      queries: [{ legend: '{{instance}}', expr: `mongodb_connection_waiters{${OWN}}` }],
    },
    {
      ...{
        title: 'Lapsed holds',
        unit: 's',
        threshold: { at: 60 },
        runbook: 'bookingholdsoverdue-hold_overdue',
      },
      description: 'How long the oldest expired hold has waited to be recorded.',
      queries: [{ legend: 'oldest', color: 'orange', expr: `max(pbs_hold_oldest_overdue_seconds{${DEPLOYMENT}})` }],
    },
    {
      title: 'Holds',
      unit: 'short',
      description: 'Holds that claim their slot, up to 100,000, and those of them that have lapsed, up to 10,000.',
      queries: [
        { legend: 'active', color: 'blue', expr: `max(pbs_holds_active{${DEPLOYMENT}})` },
        { legend: 'overdue', color: 'orange', expr: `max(pbs_holds_overdue{${DEPLOYMENT}})` },
      ],
    },
    {
      title: 'Reservations with events that wait',
      unit: 'short',
      description: 'Until they are dispatched, up to 10,000.',
      queries: [{ legend: 'waiting', color: 'orange', expr: `max(pbs_reservations_undispatched{${DEPLOYMENT}})` }],
    },
    {
      title: 'Catalogue',
      unit: 'short',
      description: 'Venues, resources and partners, as the database estimates.',
      queries: [{ legend: '{{of}}', expr: `max by (of) (pbs_catalogue_entries{${DEPLOYMENT}})` }],
    },
    {
      title: 'Rows purged',
      unit: 'ops',
      description: 'Deleted because they had been kept for as long as they have to be, by collection.',
      queries: [{ legend: '{{collection}}', expr: perSecond(`retention_purged_total{${OWN}}`, 'collection') }],
    },
    {
      ...{
        title: 'Since all was purged',
        unit: 's',
        threshold: { at: 172_800 },
        runbook: 'bookingpurgelate',
      },
      description:
        'How long ago a run had purged all there was of a collection, or, where none had, it was first tried.',
      queries: [
        {
          legend: '{{collection}}',
          expr: `time() - max by (collection) (pbs_retention_completed_timestamp_seconds{${DEPLOYMENT}})`,
        },
      ],
    },
  ],
};
