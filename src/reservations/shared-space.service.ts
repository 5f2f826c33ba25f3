import type { Db } from '../platform/mongo.ts';
import { isDuplicateKey } from '../platform/mongo.ts';
import { SERVICE } from './actor-types.ts';
import { cellsOf, spacesOf } from './cells.rules.ts';
import type { StandingWindow } from './reservation-reads.store.ts';
import { findClaimants, findStandingClaims } from './reservation-reads.store.ts';
import { addCells, applyTransition } from './reservations.store.ts';

/**
 * Makes every claim that stands on `resourceId` also fill the ground that it has in common with `otherId` from now on,
 * so that the guard index refuses overlaps with claims that were there first. The relation must be stored before: what is
 * claimed after this has read the claims sees it, and covers itself (`coverSpaceSharedMeanwhile`). Safe to repeat. Returns the
 * claims that could not be made to: others have some of their common ground by now.
 */
export async function coverSharedSpace(
  deps: { db: Db },
  resourceId: string,
  otherId: string,
  now: Date,
): Promise<StandingWindow[]> {
  const common = spacesOf(resourceId, [otherId]).filter((space) => space !== resourceId);
  const uncovered: StandingWindow[] = [];
  for (const claim of await findStandingClaims(deps.db, resourceId, now)) {
    const cells = cellsOf(common, claim.slotStart, claim.slotEnd);
    if (!(await tryAddCells(deps, claim._id, cells))) uncovered.push(claim);
  }
  return uncovered;
}

/**
 * Makes a claim that was just written fill the ground that its resource has come to share while it was being written.
 * `cellsNow` must be read after the claim was acknowledged. False where another claim has some of that ground by now: the
 * caller must give its own up.
 */
export async function coverSpaceSharedMeanwhile(
  deps: { db: Db },
  reservationId: string,
  cellsClaimed: readonly string[],
  cellsNow: readonly string[],
): Promise<boolean> {
  const claimed = new Set(cellsClaimed);
  const missing = cellsNow.filter((cell) => !claimed.has(cell));
  return missing.length === 0 || tryAddCells(deps, reservationId, missing);
}

/** False where another live claim has one of the cells; lapsed holds that have some are settled. */
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
    const isLapsed = ({ status }: { status: string }) => status === 'EXPIRED';
    // Nobody is told at once that their events wait; the dispatcher's sweep finds them.
    for (const { _id } of claimants.filter(isLapsed))
      await applyTransition(deps.db, 'expire', _id, { actor: SERVICE });
    // None of them lives where the one in the way has just ended; the claim itself has some of the cells already.
    const isTaken = claimants.some((claim) => claim._id !== reservationId && !isLapsed(claim));
    if (isTaken || isRetry) return false;
  }
}
