import type { Db, Tx } from '../../platform/mongo.ts';
import { cellsOfWindow } from '../../reservations/cells.rules.ts';
import type { NewReservation } from '../../reservations/reservations.store.ts';
import { isBlackedOut } from '../blackouts/blackout.rules.ts';
import { findBlackouts } from '../blackouts/blackouts.store.ts';
import { fenceResource } from '../venues/venue-transaction.service.ts';
import type { VenueRow } from '../venues/venues.service.ts';
import { pricedSlotAt } from './slot.rules.ts';

/**
 * The draft with the window, price and cells that its slot has by now, for the venue transaction that is going to insert it; or why it
 * cannot be sold any more. The transaction excludes every change of the venue, its blackouts and the resource (ADR 0006).
 */
export async function checkClaim(
  deps: { db: Db },
  venue: VenueRow | null,
  draft: NewReservation,
  tx: Tx,
): Promise<{ draft: NewReservation } | { unsellable: 'off schedule' | 'inactive' | 'blackout' }> {
  const resource = await fenceResource(deps.db, draft.resourceId, tx);
  const slot = venue && resource && pricedSlotAt(venue, resource, draft.slotStart);
  if (!slot) return { unsellable: 'off schedule' };
  const blackouts = await findBlackouts(deps.db, draft.venueId, slot.start, slot.end, tx);
  if (venue.status !== 'active' || resource.status !== 'active') return { unsellable: 'inactive' };
  if (isBlackedOut(resource, slot, blackouts)) return { unsellable: 'blackout' };
  const cells = cellsOfWindow(resource, slot);
  return { draft: { ...draft, slotEnd: slot.end, pricePaise: slot.pricePaise, cells } };
}
