import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/mongo.ts';
import { findLiveClaimsAtVenue, type LiveClaim } from '../../reservations/claim-reads.store.ts';
import { listResources, type ResourceRow } from '../venues/resources.service.ts';
import { getVenue, type VenueRow } from '../venues/venues.service.ts';
import { pricedSlotAt } from './slot.rules.ts';

/** Beyond every slot on sale. */
const FOR_MS = 10 * 366 * 86_400_000;

/** A planned change: new values of the venue's fields, and of resources' fields by resource id. */
export type VenueChange = { venue?: Partial<VenueRow>; resources?: ReadonlyMap<string, Partial<ResourceRow>> };

/**
 * The bookings and live holds that could not be sold by the venue's rules now, or after a planned change, because the
 * venue or resource is inactive or the schedule has no such window. Sorted by start, without ended ones.
 * @throws DomainError VENUE_NOT_FOUND
 */
export async function findOffSaleClaims(
  deps: { db: Db; clock: Clock },
  venueId: string,
  change: VenueChange = {},
): Promise<LiveClaim[]> {
  const now = deps.clock.now();
  const claims = await findLiveClaimsAtVenue(deps.db, venueId, now, new Date(now.getTime() + FOR_MS));
  const venue = { ...(await getVenue(deps, venueId)), ...change.venue };
  const rows = await listResources(deps, venueId);
  const resources = new Map(rows.map((row) => [row._id, { ...row, ...change.resources?.get(row._id) }]));
  return claims.filter(({ resourceId, slotStart, slotEnd }) => {
    const resource = resources.get(resourceId);
    if (resource === undefined || venue.status !== 'active' || resource.status !== 'active') return true;
    return pricedSlotAt(venue, resource, slotStart)?.end.getTime() !== slotEnd.getTime();
  });
}
