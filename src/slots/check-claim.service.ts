import { isBlackedOut } from '../blackouts/blackout.rules.ts';
import { findBlackouts } from '../blackouts/blackouts.store.ts';
import type { Db, Tx } from '../platform/mongo.ts';
import { cellsOfWindow } from '../reservations/cells.rules.ts';
import type { NewReservation } from '../reservations/reservations.store.ts';
import { getResourceForClaim } from '../venues/venues.service.ts';

/**
 * The draft with the cells that its window has by now, for the transaction that is going to insert it, or why it cannot be sold any
 * more. The transaction excludes every other one that would change that: venue and resource, and the venue's blackouts (ADR 0009).
 * @throws DomainError VENUE_NOT_FOUND, RESOURCE_NOT_FOUND
 */
export async function checkClaim(
  deps: { db: Db },
  draft: NewReservation,
  tx: Tx,
): Promise<{ draft: NewReservation } | { unsellable: 'inactive' | 'blackout' }> {
  const { venue, resource } = await getResourceForClaim(deps, draft, tx);
  const window = { start: draft.slotStart, end: draft.slotEnd };
  const blackouts = await findBlackouts(deps.db, draft.venueId, window.start, window.end, tx);
  if (venue.status !== 'active' || resource.status !== 'active') return { unsellable: 'inactive' };
  if (isBlackedOut(resource, window, blackouts)) return { unsellable: 'blackout' };
  return { draft: { ...draft, cells: cellsOfWindow(resource, window) } };
}
