import { hostname } from 'node:os';
import { PACKAGE_COLLECTIONS } from '../../booking/packages/packages.model.ts';
import { BLACKOUTS } from '../../catalog/blackouts/blackouts.model.ts';
import { CATALOG_OUTBOX } from '../../catalog/changes/changes.model.ts';
import { VENUE_COLLECTIONS } from '../../catalog/venues/venues.model.ts';
import { EVENT_COLLECTIONS } from '../../events/events.model.ts';
import { PARTNER_COLLECTIONS } from '../../partners/partners.model.ts';
import { CACHE_LEASES } from '../../platform/cache-entries.store.ts';
import type { CollectionDefinition } from '../../platform/ensure-collection.ts';
import { missingGuardsOf } from '../../platform/ensure-collection.ts';
import { LOCKS } from '../../platform/locks.store.ts';
import type { Db } from '../../platform/mongo.ts';
import { ZONE_DATA_SEEN } from '../../platform/zone-data.ts';
import { RESERVATIONS } from '../../reservations/reservations.indexes.ts';
import { DELIVERIES } from '../../webhooks/deliveries/deliveries.model.ts';
import { SUBSCRIPTIONS } from '../../webhooks/subscriptions/subscriptions.model.ts';
import { ALERT_COLLECTIONS } from '../alerts/alerts.model.ts';
import { AUDIT } from '../audit/audit.model.ts';
import { ENDED_SESSIONS } from '../operators/ended-sessions.store.ts';
import { PURGES } from '../retention/purges.store.ts';
import type { MigrationRun, Plan } from './migrate.service.ts';
import { migrateTo, planMigration, requireUsable } from './migrate.service.ts';
import { MIGRATIONS } from './migrations.store.ts';
import { RELEASE } from './release.ts';
import { STEPS } from './steps.ts';

const COLLECTIONS: CollectionDefinition[] = [
  ...PARTNER_COLLECTIONS,
  ...VENUE_COLLECTIONS,
  BLACKOUTS,
  CATALOG_OUTBOX,
  RESERVATIONS,
  ...EVENT_COLLECTIONS,
  ...PACKAGE_COLLECTIONS,
  SUBSCRIPTIONS,
  DELIVERIES,
  AUDIT,
  ...ALERT_COLLECTIONS,
  ENDED_SESSIONS,
  LOCKS,
  PURGES,
  CACHE_LEASES,
  MIGRATIONS,
  ZONE_DATA_SEEN,
];

const TARGET = { release: RELEASE, collections: COLLECTIONS, steps: STEPS };

const QUIET: MigrationRun = {
  log: { info: () => undefined, warn: () => undefined },
  stopping: new AbortController().signal,
  holder: `${hostname()}, process ${process.pid}`,
};

/** Creates missing collections, validators and indexes (ADR 0002), then runs pending steps (ADR 0022). Repeatable. */
export async function migrate(db: Db, run: Partial<MigrationRun> = {}): Promise<void> {
  await migrateTo(db, TARGET, { ...QUIET, ...run });
}

/** What `migrate` would do; only reads. */
export async function planOfMigration(db: Db): Promise<Plan> {
  return planMigration(db, TARGET);
}

/** @throws UnsupportedServerError if a newer release has removed something that this one uses */
export async function requireUsableDatabase(db: Db): Promise<void> {
  await requireUsable(db, RELEASE);
}

/** The unique indexes and validators that the database lacks; nothing is sold while one is missing. */
export async function missingGuards(db: Db): Promise<string[]> {
  return missingGuardsOf(db, COLLECTIONS);
}
