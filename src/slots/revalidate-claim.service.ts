import { appliesToClaim, isBlackedOut, mayBeUnreported } from '../blackouts/blackout.rules.ts';
import { withReport } from '../blackouts/blackouts.service.ts';
import { findBlackouts } from '../blackouts/blackouts.store.ts';
import type { Db } from '../platform/mongo.ts';
import { cellsOfWindow } from '../reservations/cells.rules.ts';
import { addSharedCellsToClaim } from '../reservations/claims.service.ts';
import type { Reservation } from '../reservations/reservations.model.ts';
import { getResourceAndGrant } from '../venues/granted-venues.service.ts';

/**
 * Why a hold that was written must be released after all: its partner's grant for the venue has ended (ADR 0024), a blackout
 * that did not report it has come over its slot (ADR 0009), or its resource has come to share space that another claim has by
 * now (ADR 0002). Null where it is valid. To be called after the hold was acknowledged and before the caller gets it, and again
 * before it is returned to a repeated call or confirmed, because the process that placed it may have died, or lost the
 * database, in between.
 */
export async function revalidateClaim(
  deps: { db: Db },
  hold: Reservation,
): Promise<'not_granted' | 'blackout' | 'held' | null> {
  const window = { start: hold.slotStart, end: hold.slotEnd };
  const [{ resource, isGranted }, blackouts] = await Promise.all([
    getResourceAndGrant(deps, hold),
    findBlackouts(deps.db, hold.venueId, window.start, window.end),
  ]);
  if (!isGranted) return 'not_granted';
  const relevant = blackouts.filter(
    (blackout) => mayBeUnreported(hold, blackout) && appliesToClaim(blackout, resource, hold),
  );
  const reports = await Promise.all(relevant.map((blackout) => withReport(deps, blackout)));
  const withoutHold = reports
    .filter((blackout) => blackout !== null)
    .filter(({ reportedIds }) => !reportedIds?.includes(hold._id));
  if (isBlackedOut(resource, window, withoutHold)) return 'blackout';
  return (await addSharedCellsToClaim(deps, hold, cellsOfWindow(resource, window))) ? null : 'held';
}
