import { blackedOutBy } from '../blackouts/blackout.rules.ts';
import { cellsOfWindow } from '../reservations/cells.rules.ts';
import type { ClaimedCells } from '../reservations/claim-reads.store.ts';
import { findClaimedCells } from '../reservations/claim-reads.store.ts';
import type { SlotWindow } from '../slots/schedule.rules.ts';
import type { ListedSlot } from '../slots/slot.rules.ts';
import { pricedSlotsOn, reasonOf, salePeriodOf, slotIdOf, unsellableReason } from '../slots/slot.rules.ts';
import type { SlotDeps } from '../slots/slots.service.ts';
import type { VenueRules } from '../slots/venue-rules.service.ts';
import { requireResourceIn, requireVenueRules } from '../slots/venue-rules.service.ts';
import type { ResourceRow } from '../venues/venues.service.ts';

/**
 * Every slot of the venue's schedule on `dates` (calendar dates in the venue's zone), sorted by resource and start, each with
 * why it is not available. It promises nothing: only a hold does.
 * @throws DomainError VENUE_NOT_AUTHORIZED for a venue that is missing or not granted; RESOURCE_NOT_FOUND
 */
export async function readAvailability(
  deps: SlotDeps,
  partnerId: string,
  query: { venueId: string; dates: readonly string[]; resourceId?: string },
): Promise<ListedSlot[]> {
  const rules = await requireVenueRules(deps, partnerId, query.venueId);
  if (query.resourceId === undefined) return readSlots(deps, rules, rules.resources, query.dates);
  const named = await requireResourceIn(deps, rules, query.resourceId);
  return readSlots(deps, named.rules, [named.resource], query.dates);
}

/** The slots of `resources`, of the venue, on the given operating dates, by resource and start. One query. */
export async function readSlots(
  deps: SlotDeps,
  { venue, blackouts }: VenueRules,
  resources: readonly ResourceRow[],
  dates: readonly string[],
): Promise<ListedSlot[]> {
  const slots = pricedSlotsOn(venue, resources, dates);
  if (slots.length === 0) return [];
  const from = new Date(Math.min(...slots.map(({ start }) => start.getTime())));
  const to = new Date(Math.max(...slots.map(({ end }) => end.getTime())));
  const reasonByCell = indexClaims(await findClaimedCells(deps.db, venue._id, from, to));
  const onSale = salePeriodOf(deps.clock.now(), deps.config.bookingHorizonDays, venue.timeZone);
  const closures = new Map(resources.map((each) => [each._id, blackedOutBy(each, blackouts)]));
  const claimOn = (resource: ResourceRow, window: SlotWindow) =>
    reasonByCell.size === 0 ? null : claimReason(cellsOfWindow(resource, window), reasonByCell);
  return slots
    .map((slot) => {
      const isClosed = closures.get(slot.resource._id) ?? (() => false);
      const unsellable = unsellableReason(venue, slot.resource, slot, onSale, isClosed);
      return {
        ...slot,
        slotId: slotIdOf(slot.resource._id, slot.start),
        unavailableReason: unsellable ?? claimOn(slot.resource, slot),
      };
    })
    .sort((a, b) => compare(a.resource._id, b.resource._id) || a.start.getTime() - b.start.getTime());
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function indexClaims(claims: readonly ClaimedCells[]): Map<string, 'held' | 'booked'> {
  return new Map(claims.flatMap((claim) => claim.cells.map((cell) => [cell, reasonOf(claim)] as const)));
}

function claimReason(
  cells: readonly string[],
  reasonByCell: ReadonlyMap<string, 'held' | 'booked'>,
): 'held' | 'booked' | null {
  const reasons = cells.map((cell) => reasonByCell.get(cell));
  if (reasons.includes('booked')) return 'booked';
  return reasons.includes('held') ? 'held' : null;
}
