import { DomainError, found } from '../../domain/errors.ts';
import { listGrantedVenueIds } from '../../partners/partners.store.ts';
import { newId } from '../../platform/ids.ts';
import { leasedCacheOf } from '../../platform/leased-cache.ts';
import { type Db, inTransaction } from '../../platform/mongo.ts';
import type { LiveClaim } from '../../reservations/claim-reads.store.ts';
import { announce, type ChangeDeps } from '../changes/changes.service.ts';
import { changeOfVenue } from './venue-changes.rules.ts';
import type { VenueColumns, VenueRow } from './venues.model.ts';
import { findGrantedVenue, findVenue, findVenuesById, insertVenue, updateVenueRow } from './venues.store.ts';

export type { Hours, Schedule, VenueRow } from './venues.model.ts';
export { listVenues } from './venues.store.ts';

export type VenueDeps = { db: Db; config: { defaultTimeZone: string } };

/** `findOffSaleClaims` is passed in: its folder `slots` imports this one. */
export type OperatorVenueDeps = VenueDeps &
  ChangeDeps & {
    findOffSaleClaims: (venueId: string) => Promise<LiveClaim[]>;
  };

export type NewVenue = Pick<VenueRow, 'name' | 'address' | 'city'> & Partial<Pick<VenueRow, 'timeZone' | 'status'>>;

export async function createVenue(deps: VenueDeps, input: NewVenue): Promise<VenueRow> {
  const venue: VenueRow = { _id: newId(), timeZone: deps.config.defaultTimeZone, status: 'active', ...input };
  await insertVenue(deps.db, venue);
  return venue;
}

/** @throws DomainError VENUE_NOT_FOUND */
export async function getVenue(deps: { db: Db }, venueId: string): Promise<VenueRow> {
  return foundVenue(await findVenue(deps.db, venueId));
}

/** The venues granted to the partner, by name. */
export async function listGrantedVenues(deps: { db: Db }, partnerId: string): Promise<VenueRow[]> {
  return findVenuesById(deps.db, await listGrantedVenueIds(deps.db, partnerId));
}

/** @throws DomainError VENUE_NOT_FOUND for a venue that is missing or not granted (same message) */
export async function getGrantedVenue(deps: { db: Db }, partnerId: string, venueId: string): Promise<VenueRow> {
  const venue = await findGrantedVenue(deps.db, partnerId, venueId);
  return found(venue, 'VENUE_NOT_FOUND', 'No venue with that id is granted to you. List your venues to find its id.');
}

/** Afterwards no process sells what the change takes off sale. @throws DomainError VENUE_NOT_FOUND */
export async function updateVenue(deps: ChangeDeps, venueId: string, change: VenueColumns): Promise<VenueRow> {
  const updated = await inTransaction(deps.db, async (tx) => {
    const before = await updateVenueRow(deps.db, venueId, change, tx);
    if (before === null) return null;
    const after = { ...before, ...change };
    const announced = changeOfVenue(before, after);
    if (announced !== undefined) await announce(deps, announced, tx);
    return after;
  });
  const venue = foundVenue(updated);
  const isRestricted = change.status === 'inactive' || (change.timeZone !== undefined && venue.status === 'active');
  await leasedCacheOf(deps.db).invalidate(isRestricted ? 'everywhere' : 'here');
  return venue;
}

export const venueNotFound = () => new DomainError('VENUE_NOT_FOUND', 'There is no venue with that id.');

const foundVenue = (venue: VenueRow | null): VenueRow => {
  if (venue === null) throw venueNotFound();
  return venue;
};
