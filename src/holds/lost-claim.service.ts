import { cellsOfWindow } from '../availability/availability.service.ts';
import { isBlackedOut } from '../blackouts/blackout.rules.ts';
import { findBlackoutsAt } from '../blackouts/blackouts.service.ts';
import type { Db } from '../platform/mongo.ts';
import type { NewReservation } from '../reservations/reservations.store.ts';
import { coverSpaceSharedMeanwhile } from '../reservations/shared-space.service.ts';
import { getResource } from '../venues/venues.service.ts';

/**
 * Why a claim that was just written must be given up after all: a blackout has come over its slot meanwhile (ADR 0009), or
 * its resource has come to share ground that another claim has by now (ADR 0002). Null where it may stand. To be called
 * after the claim was acknowledged, and before anybody is told of it.
 */
export async function reasonLostMeanwhile(
  deps: { db: Db },
  claim: NewReservation,
): Promise<'blackout' | 'held' | null> {
  const window = { start: claim.slotStart, end: claim.slotEnd };
  const [resource, blackouts] = await Promise.all([
    getResource(deps, claim.resourceId),
    findBlackoutsAt(deps, claim.venueId, window.start, window.end),
  ]);
  if (isBlackedOut(resource, window, blackouts)) return 'blackout';
  const cellsNow = cellsOfWindow(resource, window);
  return (await coverSpaceSharedMeanwhile(deps, claim._id, claim.cells, cellsNow)) ? null : 'held';
}
