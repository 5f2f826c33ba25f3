import type { Db } from '../platform/mongo.ts';
import { cellsOf, spacesOf } from './cells.rules.ts';
import { findStandingClaims } from './reservation-reads.store.ts';
import { addCells } from './reservations.store.ts';

/**
 * Makes every claim that stands on `resourceId` also fill the ground that it has in common with `otherId` from now on,
 * so that the guard index refuses overlaps with claims that were there first. Safe to repeat.
 */
export async function coverSharedSpace(
  deps: { db: Db },
  resourceId: string,
  otherId: string,
  now: Date,
): Promise<void> {
  const common = spacesOf(resourceId, [otherId]).filter((space) => space !== resourceId);
  for (const claim of await findStandingClaims(deps.db, resourceId, now)) {
    await addCells(deps.db, claim._id, cellsOf(common, claim.slotStart, claim.slotEnd));
  }
}
