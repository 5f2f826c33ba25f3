import { type Db, isDuplicateKey } from '../platform/mongo.ts';
import { cellsOf, spacesOf } from './cells.rules.ts';
import { type Claimant, findClaimants, findLiveClaimsOfResource, type LiveWindow } from './claim-reads.store.ts';
import { expireLapsedHolds } from './hold-expiry.store.ts';
import { expireHolds, type ReservationDeps } from './reservations.service.ts';
import { addCells } from './reservations.store.ts';

const isLapsed = ({ status }: { status: string }): boolean => status === 'EXPIRED';

/**
 * The live claims on cells that the guard index has rejected; none if they are free by now. Also expires the lapsed
 * holds among them: a walk-in that overrides live claims would meet those next.
 */
export async function findClaimsInTheWay(deps: ReservationDeps, cells: readonly string[]): Promise<Claimant[]> {
  const claimants = await findClaimants(deps.db, cells);
  const lapsed = claimants.filter(isLapsed);
  if (lapsed.length === 0) return claimants;
  const lapsedIds = lapsed.map(({ _id }) => _id);
  await expireHolds(deps, lapsedIds);
  return claimants.filter(({ _id }) => !lapsedIds.includes(_id));
}

/**
 * Makes every live claim on `resourceId` also fill the space that it shares with `otherId` from now on, so that the
 * guard index rejects overlaps with earlier claims. Safe to repeat. Returns the claims that could not be extended,
 * because others have some of their shared space by now.
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
    if (!(await tryAddCells(deps, claim._id, cells, [resourceId, otherId]))) overlapping.push(claim);
  }
  return overlapping;
}

/** False if another live claim has one of the cells; expires lapsed holds that have some. */
async function tryAddCells(
  deps: { db: Db },
  reservationId: string,
  cells: readonly string[],
  resourceIds: readonly string[],
): Promise<boolean> {
  for (let isRetry = false; ; isRetry = true) {
    try {
      await addCells(deps.db, reservationId, cells, resourceIds);
      return true;
    } catch (err) {
      if (!isDuplicateKey(err)) throw err;
    }
    const claimants = await findClaimants(deps.db, cells);
    // Their events get no jobs; the sweep of webhook delivery finds them.
    const lapsedIds = claimants.filter(isLapsed).map(({ _id }) => _id);
    await expireLapsedHolds(deps.db, lapsedIds);
    // The claim itself has some of the cells already. No other is alive if the one in the way has just ended.
    const isTaken = claimants.some((claim) => claim._id !== reservationId && !isLapsed(claim));
    if (isTaken || isRetry) return false;
  }
}
