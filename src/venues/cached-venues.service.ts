import { leasedCacheOf } from '../platform/leased-cache.ts';
import type { Db } from '../platform/mongo.ts';
import type { ResourceRow, VenueRow } from './venues.model.ts';
import { findResource, findVenue } from './venues.store.ts';

/** The tag, in memory, of a venue with its resources and blackouts. */
export const venueTag = (venueId: string): string => `venue:${venueId}`;

/** The venue, from memory where it was asked for lately (ADR 0037). */
export async function findCachedVenue(db: Db, venueId: string): Promise<VenueRow | null> {
  return leasedCacheOf(db).read(`venue:${venueId}`, async () => {
    const venue = await findVenue(db, venueId);
    return venue === null ? null : { value: venue, tags: [venueTag(venueId)] };
  });
}

/** The same of a resource. */
export async function findCachedResource(db: Db, resourceId: string): Promise<ResourceRow | null> {
  return leasedCacheOf(db).read(`resource:${resourceId}`, async () => {
    const resource = await findResource(db, resourceId);
    return resource === null ? null : { value: resource, tags: [venueTag(resource.venueId)] };
  });
}
