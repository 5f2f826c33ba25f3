import type { ListedSlot, SalePeriod, UnavailableReason } from '../../catalog/slots/slot.rules.ts';
import { reasonOf, unsellableReason } from '../../catalog/slots/slot.rules.ts';
import type { VenueRow } from '../../catalog/venues/venues.service.ts';
import { sharedCellsOfWindow, shareStep } from '../../reservations/cells.rules.ts';
import type { ClaimedWindow } from '../../reservations/reservations.model.ts';

/** A slot of the schedule with all fields that neither claims nor time change. */
export type PlannedSlot = ListedSlot & { isBlackedOut: boolean };

export type ClaimIndex = {
  byResource: ReadonlyMap<string, readonly ClaimedWindow[]>;
  bySharedCell: ReadonlyMap<string, readonly ClaimedWindow[]>;
};

/** `now` is by the database's clock, by which holds expire. */
export type Moment = { onSale: SalePeriod; now: Date };

export function indexClaims(claims: Iterable<ClaimedWindow>): ClaimIndex {
  const byResource = new Map<string, ClaimedWindow[]>();
  const bySharedCell = new Map<string, ClaimedWindow[]>();
  const add = (map: Map<string, ClaimedWindow[]>, key: string, claim: ClaimedWindow) => {
    const there = map.get(key);
    if (there === undefined) map.set(key, [claim]);
    else there.push(claim);
  };
  for (const claim of claims) {
    add(byResource, claim.resourceId, claim);
    for (const cell of claim.sharedCells) add(bySharedCell, cell, claim);
  }
  return { byResource, bySharedCell };
}

export function reasonAt(
  venue: VenueRow,
  slot: PlannedSlot,
  { byResource, bySharedCell }: ClaimIndex,
  { onSale, now }: Moment,
): UnavailableReason | null {
  const unsellable = unsellableReason(venue, slot.resource, slot, onSale, () => slot.isBlackedOut);
  if (unsellable !== null) return unsellable;
  if (byResource.size === 0) return null;
  let reason: 'held' | null = null;
  const inTheWay = (claims: readonly ClaimedWindow[] = []): boolean => {
    for (const claim of claims) {
      if (!isAlive(claim, now)) continue;
      if (reasonOf(claim) === 'booked') return true;
      reason = 'held';
    }
    return false;
  };
  if (inTheWay(byResource.get(slot.resource._id)?.filter((claim) => shareStep(windowOf(claim), slot)))) return 'booked';
  if (bySharedCell.size === 0) return reason;
  for (const cell of sharedCellsOfWindow(slot.resource, slot)) {
    if (inTheWay(bySharedCell.get(cell))) return 'booked';
  }
  return reason;
}

const windowOf = ({ slotStart, slotEnd }: ClaimedWindow) => ({ start: slotStart, end: slotEnd });

const isAlive = ({ status, holdExpiresAt }: ClaimedWindow, now: Date): boolean =>
  status !== 'ACTIVE' || holdExpiresAt > now;

/** The first instant after `now` at which a hold expires, in epoch milliseconds. */
export function nextLapse(claims: Iterable<ClaimedWindow>, now: Date): number {
  let next = Number.POSITIVE_INFINITY;
  for (const claim of claims) {
    if (claim.status === 'ACTIVE' && claim.holdExpiresAt > now) next = Math.min(next, claim.holdExpiresAt.getTime());
  }
  return next;
}

/** The first instant after `after` at which a slot begins, in epoch milliseconds. */
export function nextStart(slots: readonly PlannedSlot[], after: Date): number {
  let next = Number.POSITIVE_INFINITY;
  const afterMs = after.getTime();
  for (const { start } of slots) if (start.getTime() > afterMs) next = Math.min(next, start.getTime());
  return next;
}
