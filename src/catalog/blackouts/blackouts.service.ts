import { fieldError, found } from '../../domain/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { leasedCacheOf } from '../../platform/leased-cache.ts';
import { inTransaction } from '../../platform/mongo.ts';
import type { Page, PageWanted } from '../../platform/pagination.ts';
import { findLiveClaimsAtVenue, type LiveClaim } from '../../reservations/claim-reads.store.ts';
import { announce, type ChangeDeps, type VenueChange } from '../changes/changes.service.ts';
import { listResources, requireResourcesOf } from '../venues/resources.service.ts';
import { inVenueTransaction } from '../venues/venue-transaction.service.ts';
import { getVenue } from '../venues/venues.service.ts';
import { closes, windowFault } from './blackout.rules.ts';
import type { BlackoutRow } from './blackouts.model.ts';
import { countBlackouts, deleteBlackout, findBlackout, insertBlackout, listBlackoutRows } from './blackouts.store.ts';

export type { BlackoutRow } from './blackouts.model.ts';

export type BlackoutDeps = ChangeDeps & { clock: Clock };

type ReadDeps = Pick<BlackoutDeps, 'db' | 'clock'>;

/** A blackout, and the live claims in it whose slots have not ended, sorted by start. */
export type BlackoutDetail = { blackout: BlackoutRow; conflicts: LiveClaim[] };

/**
 * Closes resources of a venue for a time. Claims in that time stay and are returned. The call reads them after the last
 * process has stopped selling by the old rules, so a concurrent hold is either returned or rejected (ADR 0007).
 * @throws DomainError VENUE_NOT_FOUND; VALIDATION_ERROR for an inverted, past or too long window, for resources that
 *   the venue does not have, and at the limit of blackouts.
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
  // Concurrent calls may exceed the limit, which only keeps responses small.
  if ((await countBlackouts(deps.db, venueId, now)) >= MAX_BLACKOUTS_OF_VENUE)
    throw fieldError(
      'venue_id',
      `the venue has ${MAX_BLACKOUTS_OF_VENUE} blackouts that have not ended, which is the maximum. Withdraw some first, use longer ones, or close days by the schedule.`,
    );
  const blackout = { _id: newId(), venueId, ...input, createdAt: now };
  await inVenueTransaction(deps.db, venueId, async (tx) => {
    await insertBlackout(deps.db, blackout, tx);
    await announce(deps, changeOf(blackout), tx);
  });
  await leasedCacheOf(deps.db).invalidate('everywhere');
  return detailOf(deps, blackout);
}

/** Only blackouts that have not ended count: availability and holds read them. */
const MAX_BLACKOUTS_OF_VENUE = 1000;

/** The blackouts of a venue that have not ended, by their start. @throws DomainError VENUE_NOT_FOUND */
export async function listBlackouts(deps: ReadDeps, venueId: string, wanted: PageWanted): Promise<Page<BlackoutRow>> {
  await getVenue(deps, venueId);
  return listBlackoutRows(deps.db, venueId, deps.clock.now(), wanted);
}

/** A blackout, ended or not, with the live claims in it. @throws DomainError BLACKOUT_NOT_FOUND */
export async function getBlackout(deps: ReadDeps, blackoutId: string): Promise<BlackoutDetail> {
  return detailOf(deps, foundBlackout(await findBlackout(deps.db, blackoutId)));
}

async function detailOf(deps: ReadDeps, blackout: BlackoutRow): Promise<BlackoutDetail> {
  const { venueId, startsAt, endsAt } = blackout;
  const from = new Date(Math.max(startsAt.getTime(), deps.clock.now().getTime()));
  if (from >= endsAt) return { blackout, conflicts: [] };
  const claims = await findLiveClaimsAtVenue(deps.db, venueId, from, endsAt);
  // Read after the claims, so that the resource of every claim is known.
  const resources = new Map((await listResources(deps, venueId)).map((row) => [row._id, row]));
  const conflicts = claims.filter(({ resourceId, slotStart, slotEnd }) => {
    const resource = resources.get(resourceId) ?? { _id: resourceId, sharesSpaceWith: [] };
    return closes(blackout, resource, { start: slotStart, end: slotEnd });
  });
  return { blackout, conflicts };
}

/** Deletes a blackout. @throws DomainError BLACKOUT_NOT_FOUND */
export async function liftBlackout(deps: ChangeDeps, blackoutId: string): Promise<void> {
  const lifted = await inTransaction(deps.db, async (tx) => {
    const blackout = await deleteBlackout(deps.db, blackoutId, tx);
    if (blackout !== null) await announce(deps, changeOf(blackout), tx);
    return blackout;
  });
  foundBlackout(lifted);
  await leasedCacheOf(deps.db).invalidate('here');
}

function changeOf({ venueId, resourceIds, startsAt, endsAt }: BlackoutRow): VenueChange {
  return { venueId, reason: 'blackout', resourceIds, from: startsAt, to: endsAt };
}

const foundBlackout = (blackout: BlackoutRow | null) =>
  found(blackout, 'BLACKOUT_NOT_FOUND', 'There is no blackout with that id.');
