import { DomainError } from '../../domain/errors.ts';
import { listGrantedVenueIds } from '../../partners/partners.store.ts';
import type { Db } from '../../platform/mongo.ts';
import { listResourceRows } from './resources.store.ts';
import type { ResourceRow, VenueRow } from './venues.model.ts';
import { findGrantedVenue, findVenuesById } from './venues.store.ts';

/** The venues granted to the partner, by name. */
export async function listGrantedVenues(deps: { db: Db }, partnerId: string): Promise<VenueRow[]> {
  return findVenuesById(deps.db, await listGrantedVenueIds(deps.db, partnerId));
}

/** @throws DomainError VENUE_NOT_FOUND for a venue that is missing or not granted; the two look the same. */
export async function getGrantedVenue(deps: { db: Db }, partnerId: string, venueId: string): Promise<VenueRow> {
  const venue = await findGrantedVenue(deps.db, partnerId, venueId);
  if (venue !== null) return venue;
  throw new DomainError('VENUE_NOT_FOUND', 'No venue with that id is granted to you. List your venues to find its id.');
}

/** The resources of a venue granted to the partner. @throws DomainError VENUE_NOT_FOUND */
export async function listGrantedResources(
  deps: { db: Db },
  partnerId: string,
  venueId: string,
): Promise<ResourceRow[]> {
  await getGrantedVenue(deps, partnerId, venueId);
  return listResourceRows(deps.db, venueId);
}
