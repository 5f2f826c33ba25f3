import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/mongo.ts';
import { findLiveClaimsAtVenue, type LiveClaim } from '../../reservations/claim-reads.store.ts';
import { listResources, type ResourceRow } from '../venues/resources.service.ts';
import { getVenue, type VenueRow } from '../venues/venues.service.ts';
import { pricedSlotAt } from './slot.rules.ts';

/** Ten years: longer than any slot is on sale. */
const AHEAD_MS = 10 * 366 * 86_400_000;

/** A planned change: new values of the venue's fields, and of resources' fields by resource id. */
type PlannedChange = { venue?: Partial<VenueRow>; resources?: ReadonlyMap<string, Partial<ResourceRow>> };

/**
 * The bookings and live holds whose slot has not ended and is off sale, by the present rules or after a planned change.
 * Off sale: the venue or resource is inactive, or the schedule has no slot with these times. Sorted by start.
 * @throws DomainError VENUE_NOT_FOUND
 */
export async function findOffSaleClaims(
  deps: { db: Db; clock: Clock },
  venueId: string,
  change: PlannedChange = {},
): Promise<LiveClaim[]> {
  const now = deps.clock.now();
  const claims = await findLiveClaimsAtVenue(deps.db, venueId, now, new Date(now.getTime() + AHEAD_MS));
  const venue = { ...(await getVenue(deps, venueId)), ...change.venue };
  const rows = await listResources(deps, venueId);
  const resources = new Map(rows.map((row) => [row._id, { ...row, ...change.resources?.get(row._id) }]));
  return claims.filter(({ resourceId, slotStart, slotEnd }) => {
    const resource = resources.get(resourceId);
    if (resource === undefined || venue.status !== 'active' || resource.status !== 'active') return true;
    return pricedSlotAt(venue, resource, slotStart)?.end.getTime() !== slotEnd.getTime();
  });
}
