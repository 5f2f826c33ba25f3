import type { SlotWindow } from '../../catalog/slots/schedule.rules.ts';
import type { ListedSlot, SalePeriod, UnavailableReason } from '../../catalog/slots/slot.rules.ts';
import { reasonOf, unsellableReason } from '../../catalog/slots/slot.rules.ts';
import type { VenueRow } from '../../catalog/venues/venues.service.ts';
import { toRupees } from '../../domain/money.ts';
import { sharedCellsOfWindow, shareStep } from '../../reservations/cells.rules.ts';
import type { ClaimedWindow } from '../../reservations/reservations.model.ts';

/** A slot of the schedule, with the fields that depend on neither claims nor time. */
export type PlannedSlot = ListedSlot & { isBlackedOut: boolean };

type ClaimIndex = {
  byResource: ReadonlyMap<string, readonly ClaimedWindow[]>;
  bySharedCell: ReadonlyMap<string, readonly ClaimedWindow[]>;
};

export function indexClaims(claims: Iterable<ClaimedWindow>): ClaimIndex {
  const byResource = new Map<string, ClaimedWindow[]>();
  const bySharedCell = new Map<string, ClaimedWindow[]>();
  const add = (map: Map<string, ClaimedWindow[]>, key: string, claim: ClaimedWindow) => {
    const known = map.get(key);
    if (known === undefined) map.set(key, [claim]);
    else known.push(claim);
  };
  for (const claim of claims) {
    add(byResource, claim.resourceId, claim);
    for (const cell of claim.sharedCells) add(bySharedCell, cell, claim);
  }
  return { byResource, bySharedCell };
}

/** Why the slot is not available, by these live claims; null if it is. */
export function reasonAt(
  venue: VenueRow,
  slot: PlannedSlot,
  { byResource, bySharedCell }: ClaimIndex,
  onSale: SalePeriod,
): UnavailableReason | null {
  const unsellable = unsellableReason(venue, slot.resource, slot, onSale, () => slot.isBlackedOut);
  if (unsellable !== null || byResource.size === 0) return unsellable;
  const claims = byResource.get(slot.resource._id)?.filter((claim) => shareStep(windowOf(claim), slot)) ?? [];
  if (bySharedCell.size > 0) {
    for (const cell of sharedCellsOfWindow(slot.resource, slot)) claims.push(...(bySharedCell.get(cell) ?? []));
  }
  if (claims.length === 0) return null;
  return claims.some((claim) => reasonOf(claim) === 'booked') ? 'booked' : 'held';
}

const windowOf = ({ slotStart, slotEnd }: ClaimedWindow) => ({ start: slotStart, end: slotEnd });

/** The first instant at which one of the holds expires, in epoch milliseconds; Infinity if there is none. */
export function firstExpiryMs(claims: readonly ClaimedWindow[]): number {
  let firstMs = Infinity;
  for (const { status, holdExpiresAt } of claims) {
    if (status === 'ACTIVE') firstMs = Math.min(firstMs, holdExpiresAt.getTime());
  }
  return firstMs;
}

/** The first instant after `now` at which a slot begins, in epoch milliseconds; Infinity if there is none. */
export function nextStartMs(slots: readonly PlannedSlot[], now: Date): number {
  let nextMs = Infinity;
  const nowMs = now.getTime();
  for (const { start } of slots) if (start.getTime() > nowMs) nextMs = Math.min(nextMs, start.getTime());
  return nextMs;
}

/** The slots of a date, and for each slot the reason why it is not available; null for an available slot. */
export type ListedSlots = { slots: readonly PlannedSlot[]; reasons: readonly (UnavailableReason | null)[] };

// Concatenation takes a third of the time of `JSON.stringify`. Resource ids are slugs and need no escaping.

/** The slots as a JSON array. Each has the fields of `freeSlotView`, and the reason if it is not available. */
export function slotsJson({ slots, reasons }: ListedSlots): string {
  const fieldsOf = fieldsRenderer();
  let text = '';
  for (const [index, slot] of slots.entries()) {
    const reason = reasons[index] ?? null;
    const availability = reason === null ? 'true' : `false,"unavailable_reason":"${reason}"`;
    text += `${text === '' ? '' : ','}{${fieldsOf(slot)},"is_available":${availability}}`;
  }
  return `[${text}]`;
}

/** Available slots of a venue as JSON objects separated by commas, each with the venue's id. */
export function freeSlotsJson(venueId: string, slots: readonly PlannedSlot[]): string {
  const fieldsOf = fieldsRenderer();
  return slots.map((slot) => `{"venue_id":"${venueId}",${fieldsOf(slot)},"is_available":true}`).join(',');
}

/** Renders the fields of slots; equal times only once, because resources with equal hours share the `Date` objects. */
function fieldsRenderer(): (slot: PlannedSlot) => string {
  const windows = new Map<Date, { end: Date; text: string }>();
  const renderWindow = ({ start, end }: SlotWindow): string => {
    const known = windows.get(start);
    if (known?.end === end) return known.text;
    const text = `"slot_start":${JSON.stringify(start)},"slot_end":${JSON.stringify(end)},"price_rupees":`;
    windows.set(start, { end, text });
    return text;
  };
  return (slot) =>
    `"slot_id":"${slot.slotId}","resource_id":"${slot.resource._id}",${renderWindow(slot)}${toRupees(slot.pricePaise)}`;
}
