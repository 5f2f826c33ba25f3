import { LRUCache } from 'lru-cache';
import { onePer } from '../platform/coalesced.ts';
import type { Db } from '../platform/mongo.ts';
import { isDuplicateKey } from '../platform/mongo.ts';
import { SERVICE } from './actor-types.ts';
import { cellsOf, spacesOf } from './cells.rules.ts';
import type { Claimant, LiveWindow } from './claim-reads.store.ts';
import { findClaimants, findLiveClaimsOfResource } from './claim-reads.store.ts';
import { findReservationAfterConflict } from './reservation-reads.store.ts';
import type { ReservationDeps } from './reservations.service.ts';
import { settleLapsedHold } from './reservations.service.ts';
import { addCells, applyTransition } from './reservations.store.ts';

const isLapsed = ({ status }: { status: string }): boolean => status === 'EXPIRED';

/** The first cell of slots that calls have lately lost; so many are remembered. */
const lostCellsOf = onePer((_db: Db) => new LRUCache<string, true>({ max: 10_000 }));

/**
 * The live claims in the way of `cells` that an insert would lose to, where one has lost lately: what everybody wants is looked at once
 * for all who ask for it, and rejected without a write. Lapsed holds in the way are settled. Empty where there are none, and
 * where nobody has lost lately; the insert decides then.
 */
export async function findClaimsToLoseTo(
  deps: ReservationDeps,
  cells: readonly string[],
): Promise<Claimant[]> {
  const [first = ''] = cells;
  if (!lostCellsOf(deps.db).has(first)) return [];
  return findLiveClaimants(deps, cells);
}

/** Who claims any of the cells; the lapsed holds among them are settled, whatever else is in the way. */
async function findLiveClaimants(deps: ReservationDeps, cells: readonly string[]): Promise<Claimant[]> {
  const claimants = await findClaimants(deps.db, cells);
  // Also where a live claim decides the outcome: a walk-in that overrides that one would lose to these again.
  await Promise.all(claimants.filter(isLapsed).map(({ _id }) => settleLapsedHold(deps, _id)));
  const live = claimants.filter((claim) => !isLapsed(claim));
  const [lost, [first = '']] = [lostCellsOf(deps.db), cells];
  if (live.length > 0) lost.set(first, true);
  else lost.delete(first);
  return live;
}

/** Whether one of the claims still stands, confirmed by the primary: none of them does if all were rolled back or have ended. */
export async function isStillClaimed(db: Db, claims: readonly Claimant[]): Promise<boolean> {
  for (const { _id } of claims) {
    const found = await findReservationAfterConflict(db, { _id });
    if (found?.claimed === true && !isLapsed(found)) return true;
  }
  return false;
}

/**
 * Runs an insert that claims `cells`. Where the guard index rejects it, every lapsed hold in the way is settled, whatever else
 * is in the way, and where nothing else is, the insert is tried once more: a lapsed hold can be taken over at once, worker or
 * not. Returns the insert's result, or the live claims in the way; the index alone decides, nothing is checked first (ADR 0002).
 */
export async function claimSlot<T>(
  deps: ReservationDeps,
  cells: readonly string[],
  insert: () => Promise<T>,
): Promise<{ won: T } | { lostTo: Claimant[] }> {
  for (let isRetry = false; ; isRetry = true) {
    try {
      return { won: await insert() };
    } catch (err) {
      if (!isDuplicateKey(err)) throw err;
    }
    const lostTo = await findLiveClaimants(deps, cells);
    if (lostTo.length > 0 || isRetry) return { lostTo };
  }
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
    // No dispatch is enqueued for their events; the dispatcher's sweep finds them.
    for (const { _id } of claimants.filter(isLapsed))
      await applyTransition(deps.db, 'expire', _id, { actor: SERVICE });
    // None of them lives where the one in the way has just ended; the claim itself has some of the cells already.
    const isTaken = claimants.some((claim) => claim._id !== reservationId && !isLapsed(claim));
    if (isTaken || isRetry) return false;
  }
}
