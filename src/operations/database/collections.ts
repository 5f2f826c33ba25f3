import { PACKAGE_COLLECTIONS } from '../../booking/packages/packages.model.ts';
import { BLACKOUTS } from '../../catalog/blackouts/blackouts.model.ts';
import { CATALOG_OUTBOX } from '../../catalog/changes/changes.model.ts';
import { VENUE_COLLECTIONS } from '../../catalog/venues/venues.model.ts';
import { EVENT_COLLECTIONS } from '../../events/events.model.ts';
import { PARTNER_COLLECTIONS } from '../../partners/partners.model.ts';
import { CACHE_LEASES } from '../../platform/cache-entries.store.ts';
import { type CollectionDefinition, missingGuardsOf } from '../../platform/ensure-collection.ts';
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
import { MIGRATIONS } from './migrations.store.ts';

/** Every collection of the service. */
export const COLLECTIONS: CollectionDefinition[] = [
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

/** The unique indexes and validators that the database lacks; nothing is sold while one is missing. */
export async function missingGuards(db: Db): Promise<string[]> {
  return missingGuardsOf(db, COLLECTIONS);
}
