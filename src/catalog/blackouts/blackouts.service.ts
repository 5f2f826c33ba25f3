import { DomainError, fieldError } from '../../domain/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { leasedCacheOf } from '../../platform/leased-cache.ts';
import type { Db } from '../../platform/mongo.ts';
import type { Page, PageWanted } from '../../platform/pagination.ts';
import type { LiveClaim } from '../../reservations/claim-reads.store.ts';
import { findLiveClaimsAtVenue } from '../../reservations/claim-reads.store.ts';
import { inVenueTransaction } from '../venues/venue-transaction.service.ts';
import { getVenue, listResources, requireResourcesOf } from '../venues/venues.service.ts';
import { isBlackedOut, windowFault } from './blackout.rules.ts';
import type { BlackoutRow } from './blackouts.model.ts';
import {
  countBlackouts,
  deleteBlackout,
  findBlackout,
  insertBlackout,
  listBlackoutRows,
} from './blackouts.store.ts';

export type { BlackoutRow } from './blackouts.model.ts';

export type BlackoutDeps = { db: Db; clock: Clock };

/** A blackout and the live holds and bookings in it, by their start; what is over by now needs no call and is left out. */
export type BlackoutDetail = { blackout: BlackoutRow; conflicts: LiveClaim[] };

/**
 * Closes resources of a venue for a time. What is claimed in it is left alone and reported. Claims are looked for when no process
 * sells by what was before it any more, so that each is either among the conflicts or rejected (ADR 0007).
 * @throws DomainError VENUE_NOT_FOUND; VALIDATION_ERROR for a window that is inverted, past or too long, for resources that the
 * venue does not have, and where it has as many blackouts as it can have.
 */
export async function addBlackout(
  deps: BlackoutDeps,
  venueId: string,
  input: Pick<BlackoutRow, 'startsAt' | 'endsAt' | 'resourceIds' | 'reason'>,
): Promise<BlackoutDetail> {
  await getVenue(deps, venueId);
  const now = deps.clock.now();
  const fault = windowFault(input.startsAt, input.endsAt, now);
  if (fault !== null) throw fieldError('ends_at', fault);
  await requireResourcesOf(deps, venueId, input.resourceIds ?? [], 'resource_ids');
  await requireRoomForBlackout(deps, venueId, now);
  const blackout = { _id: newId(), venueId, ...input, createdAt: now };
  await inVenueTransaction(deps.db, venueId, (tx) => insertBlackout(deps.db, blackout, tx));
  await leasedCacheOf(deps.db).changedForAll();
  return detailOf(deps, blackout);
}

/** Of blackouts that have not ended. Every availability response and every hold reads those of its time. */
const MAX_BLACKOUTS_OF_VENUE = 1000;

/** Calls racing at the limit may pass it by their number: it keeps responses small, and nothing else rests on it. */
async function requireRoomForBlackout(deps: { db: Db }, venueId: string, now: Date): Promise<void> {
  if ((await countBlackouts(deps.db, venueId, now)) < MAX_BLACKOUTS_OF_VENUE) return;
  throw fieldError(
    'venue_id',
    `the venue has ${MAX_BLACKOUTS_OF_VENUE} blackouts that have not ended, the most that it can have. Withdraw some first, use longer ones, or close days by the schedule.`,
  );
}

/** The blackouts of a venue that have not ended, by their start. @throws DomainError VENUE_NOT_FOUND */
export async function listBlackouts(
  deps: BlackoutDeps,
  venueId: string,
  wanted: PageWanted,
): Promise<Page<BlackoutRow>> {
  await getVenue(deps, venueId);
  return listBlackoutRows(deps.db, venueId, deps.clock.now(), wanted);
}

/** A blackout, ended or not, with the live claims in it. @throws DomainError BLACKOUT_NOT_FOUND */
export async function getBlackout(deps: BlackoutDeps, blackoutId: string): Promise<BlackoutDetail> {
  const blackout = await findBlackout(deps.db, blackoutId);
  if (blackout === null) throw blackoutNotFound();
  return detailOf(deps, blackout);
}

async function detailOf(deps: BlackoutDeps, blackout: BlackoutRow): Promise<BlackoutDetail> {
  const from = new Date(Math.max(blackout.startsAt.getTime(), deps.clock.now().getTime()));
  return { blackout, conflicts: await liveClaimsIn(deps, blackout, from) };
}

/** Opens again what the blackout closed, unless another one does. @throws DomainError BLACKOUT_NOT_FOUND */
export async function liftBlackout(deps: { db: Db }, blackoutId: string): Promise<void> {
  const blackout = await deleteBlackout(deps.db, blackoutId);
  if (blackout === null) throw blackoutNotFound();
  leasedCacheOf(deps.db).freshen();
}

function blackoutNotFound(): DomainError {
  return new DomainError('BLACKOUT_NOT_FOUND', 'There is no blackout with that id.');
}

/** The live claims in the blackout that end after `from`, by their start. */
async function liveClaimsIn(deps: { db: Db }, blackout: BlackoutRow, from: Date): Promise<LiveClaim[]> {
  if (from >= blackout.endsAt) return [];
  const claims = await findLiveClaimsAtVenue(deps.db, blackout.venueId, from, blackout.endsAt);
  // Read after the claims: every one of them is then of a resource that is known, with the space that it shares.
  const resources = new Map((await listResources(deps, blackout.venueId)).map((row) => [row._id, row]));
  return claims.filter(({ resourceId, slotStart, slotEnd }) => {
    const resource = resources.get(resourceId) ?? { _id: resourceId, sharesSpaceWith: [] };
    return isBlackedOut(resource, { start: slotStart, end: slotEnd }, [blackout]);
  });
}
