import { hostname } from 'node:os';
import { PACKAGE_COLLECTIONS } from '../../booking/packages/packages.model.ts';
import { BLACKOUTS } from '../../catalog/blackouts/blackouts.model.ts';
import { VENUE_COLLECTIONS } from '../../catalog/venues/venues.model.ts';
import { EVENT_COLLECTIONS } from '../../events/events.model.ts';
import { PARTNER_COLLECTIONS } from '../../partners/partners.model.ts';
import { CACHE_LEASES } from '../../platform/cache-leases.store.ts';
import type { CollectionDefinition } from '../../platform/ensure-collection.ts';
import { missingUniqueIndexes, missingValidators } from '../../platform/ensure-collection.ts';
import { LEASES } from '../../platform/leases.store.ts';
import type { Db } from '../../platform/mongo.ts';
import { ZONE_DATA_SEEN } from '../../platform/zone-data.ts';
import { RESERVATIONS } from '../../reservations/reservations.model.ts';
import { DELIVERIES } from '../../webhooks/deliveries/deliveries.model.ts';
import { SUBSCRIPTIONS } from '../../webhooks/subscriptions/subscriptions.model.ts';
import { ALERT_COLLECTIONS } from '../alerts/alerts.model.ts';
import { AUDIT } from '../audit/audit.model.ts';
import { ENDED_SESSIONS } from '../operators/ended-sessions.model.ts';
import { PURGES } from '../retention/purges.store.ts';
import type { MigrationRun, Plan } from './migrate.service.ts';
import { migrateTo, planMigration, requireUsable } from './migrate.service.ts';
import { MIGRATIONS } from './migrations.store.ts';
import { RELEASE } from './release.ts';
import { STEPS } from './steps.ts';

/** Every collection of the service with its validator and indexes. */
const COLLECTIONS: CollectionDefinition[] = [
  ...PARTNER_COLLECTIONS,
  ...VENUE_COLLECTIONS,
  BLACKOUTS,
  RESERVATIONS,
  ...EVENT_COLLECTIONS,
  ...PACKAGE_COLLECTIONS,
  SUBSCRIPTIONS,
  DELIVERIES,
  AUDIT,
  ...ALERT_COLLECTIONS,
  ENDED_SESSIONS,
  LEASES,
  PURGES,
  CACHE_LEASES,
  MIGRATIONS,
  ZONE_DATA_SEEN,
];

const TARGET = { release: RELEASE, collections: COLLECTIONS, steps: STEPS };

const UNHEARD: MigrationRun = {
  log: { info: () => undefined, warn: () => undefined },
  stopping: new AbortController().signal,
  holder: `${hostname()}, process ${process.pid}`,
};

/**
 * Creates what is missing of all collections, validators and indexes (ADR 0002), then runs the steps that are pending (ADR 0022);
 * safe to repeat.
 */
export async function migrate(db: Db, run: Partial<MigrationRun> = {}): Promise<void> {
  await migrateTo(db, TARGET, { ...UNHEARD, ...run });
}

/** What `migrate` would do; only reads. */
export async function planOfMigration(db: Db): Promise<Plan> {
  return planMigration(db, TARGET);
}

/** @throws UnsupportedServerError where a newer release has taken away what this one uses */
export async function requireUsableDatabase(db: Db): Promise<void> {
  await requireUsable(db, RELEASE);
}

/** The unique indexes and validators that the database lacks: while one is missing nothing is sold. */
export async function missingGuards(db: Db): Promise<string[]> {
  const indexes = await Promise.all(COLLECTIONS.map((definition) => missingUniqueIndexes(db, definition)));
  return [...indexes.flat(), ...(await missingValidators(db, COLLECTIONS))];
}
