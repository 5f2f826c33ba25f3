import type { Db } from '../platform/mongo.ts';
import { isDuplicateKey } from '../platform/mongo.ts';
import { cellsOf, spacesOf } from './cells.rules.ts';
import type { Claimant, LiveWindow } from './claim-reads.store.ts';
import { findClaimants, findLiveClaimsOfResource } from './claim-reads.store.ts';
import { expireLapsedHolds } from './expire-holds.store.ts';
import type { ReservationDeps } from './reservations.service.ts';
import { expireHolds } from './reservations.service.ts';
import { addCells } from './reservations.store.ts';

const isLapsed = ({ status }: { status: string }): boolean => status === 'EXPIRED';

/**
 * The live claims on any of `cells`, which the guard index has just told to be taken. Expires the lapsed holds among them, also where
 * live claims are in the way: a walk-in that overrides those would meet the lapsed ones next. Empty: the cells are free by now.
 */
export async function findClaimsInTheWay(
  deps: ReservationDeps,
  cells: readonly string[],
): Promise<Claimant[]> {
  const claimants = await findClaimants(deps.db, cells);
  const lapsed = claimants.filter(isLapsed);
  if (lapsed.length === 0) return claimants;
  const lapsedIds = lapsed.map(({ _id }) => _id);
  await expireHolds(deps, lapsedIds);
  return claimants.filter(({ _id }) => !lapsedIds.includes(_id));
}

/**
 * Makes every live claim on `resourceId` also fill the space that it shares with `otherId` from now on, so that the guard index
 * rejects overlaps with claims that were there first. What is claimed after this has read the claims must know of the relation and
 * fill that space itself. Safe to repeat. Returns the claims that could not
 * be made to: others have some of their shared space by now.
 */
export async function addSharedCellsToClaims(
  deps: { db: Db },
  resourceId: string,
  otherId: string,
): Promise<LiveWindow[]> {
  const shared = spacesOf(resourceId, [otherId]).filter((space) => space !== resourceId);
  const overlapping: LiveWindow[] = [];
  for (const claim of await findLiveClaimsOfResource(deps.db, resourceId)) {
    const cells = cellsOf(shared, claim.slotStart, claim.slotEnd);
    if (!(await tryAddCells(deps, claim._id, cells))) overlapping.push(claim);
  }
  return overlapping;
}

/** False where another live claim has one of the cells; lapsed holds that have some are expired. */
async function tryAddCells(
  deps: { db: Db },
  reservationId: string,
  cells: readonly string[],
): Promise<boolean> {
  for (let isRetry = false; ; isRetry = true) {
    try {
      await addCells(deps.db, reservationId, cells);
      return true;
    } catch (err) {
      if (!isDuplicateKey(err)) throw err;
    }
    const claimants = await findClaimants(deps.db, cells);
    // No job is offered for their events; the sweep of webhook delivery finds them.
    await expireLapsedHolds(
      deps.db,
      claimants.filter(isLapsed).map(({ _id }) => _id),
    );
    // None of them lives where the one in the way has just ended; the claim itself has some of the cells already.
    const isTaken = claimants.some((claim) => claim._id !== reservationId && !isLapsed(claim));
    if (isTaken || isRetry) return false;
  }
}
