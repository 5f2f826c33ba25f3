import { PLATFORM_PARTNER_ID } from '../../domain/change-origin.ts';
import { audienceOf } from '../../domain/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import type { Db, Tx } from '../../platform/mongo.ts';
import { cellsOfWindow, resourcesAffected } from '../../reservations/cells.rules.ts';
import type { NewReservation } from '../../reservations/reservations.model.ts';
import { isBlackedOut } from '../blackouts/blackout.rules.ts';
import { findBlackouts } from '../blackouts/blackouts.store.ts';
import type { ResourceRow } from '../venues/resources.service.ts';
import { fenceResource } from '../venues/venue-transaction.service.ts';
import type { VenueRow } from '../venues/venues.service.ts';
import { type PricedSlot, pricedSlotAt, salePeriodOf, type UnsellableReason, unsellableReason } from './slot.rules.ts';
import {
  confirmingRejections,
  findTargets,
  type SlotTarget,
  slotNotFound,
  type WantedSlot,
} from './slot-targets.service.ts';

export type SlotDeps = { db: Db; clock: Clock; config: { bookingHorizonDays: number } };

/**
 * `draft`: the reservation to insert; null if the schedule has no such slot. `unsellable`: why the slot cannot be sold;
 * null if only a claim can prevent the sale.
 */
export type SlotForSale = SlotTarget & { draft: NewReservation | null; unsellable: UnsellableReason | null };

/** Cached reasons that may be wrong: another process may just have changed the rules. */
const REMOVABLE: ReadonlySet<UnsellableReason | null> = new Set(['blackout', 'inactive'] as const);

/**
 * The slots that a hold may take, the preferred one first, each with the draft of its reservation. Only inserting the
 * draft shows whether the slot is claimed. Slots follow the order of `resourceIds`; slots of a sport are sorted by
 * price, then by resource id. `expectedPaise`: the price that the caller has seen.
 * @throws DomainError VALIDATION_ERROR if fields disagree, or for a sport or slot length that the venue lacks;
 *   VENUE_NOT_AUTHORIZED for a venue_id that is missing or not granted; RESOURCE_NOT_FOUND; SLOT_NOT_FOUND for a
 *   slot_id that is unknown or at a venue that is not granted.
 */
export async function findSlotsForSale(
  deps: SlotDeps,
  partnerId: string,
  wanted: WantedSlot,
  expectedPaise: number | undefined,
): Promise<SlotForSale[]> {
  const isBySport = wanted.sportCategory !== undefined;
  return confirmingRejections(
    async (source) =>
      (await findTargets(deps, partnerId, wanted, source)).map((target) => slotForSale(deps, target, partnerId)),
    (slots) =>
      slots.every(({ draft }) => draft === null) ||
      slots.some(({ draft, unsellable }) =>
        draft === null
          ? !isBySport
          : REMOVABLE.has(unsellable) || (expectedPaise ?? draft.pricePaise) !== draft.pricePaise,
      ),
  );
}

function slotForSale(deps: SlotDeps, target: SlotTarget, partnerId: string): SlotForSale {
  const { slot, resource } = target;
  if (slot === undefined) return { ...target, draft: null, unsellable: null };
  const { venue, blackouts } = target.rules;
  const onSale = salePeriodOf(deps.clock.now(), deps.config.bookingHorizonDays, venue.timeZone);
  const unsellable = unsellableReason(venue, resource, slot, onSale, () => isBlackedOut(resource, slot, blackouts));
  return { ...target, draft: draftOf(target, slot, partnerId), unsellable };
}

/** A slot of the schedule, with the draft of a walk-in in it. */
export type SlotForWalkIn = SlotTarget & { slot: PricedSlot; draft: NewReservation };

/**
 * The slots that a walk-in may take, the preferred one first, with drafts for the built-in partner `platform`. With
 * `simulatedBy`, only slots at venues granted to that partner. The walk-in's transaction decides whether a slot may be
 * sold.
 * @throws DomainError SLOT_NOT_FOUND; VENUE_NOT_FOUND and VALIDATION_ERROR for a choice by sport
 */
export async function findSlotsForWalkIn(
  deps: { db: Db },
  wanted: WantedSlot,
  simulatedBy: string | undefined,
): Promise<SlotForWalkIn[]> {
  const targets = await findTargets(deps, simulatedBy, wanted, 'database');
  const slots = targets.flatMap((target) => {
    const { slot } = target;
    return slot === undefined ? [] : [{ ...target, slot, draft: draftOf(target, slot, PLATFORM_PARTNER_ID) }];
  });
  if (slots.length === 0) throw slotNotFound(audienceOf(simulatedBy));
  return slots;
}

/**
 * Checks a draft in the venue transaction that inserts the draft. The transaction excludes concurrent changes of the
 * venue, its blackouts and the resource (ADR 0007). Returns the draft with the slot's current end, price and cells, or
 * why the slot cannot be sold.
 */
export async function checkClaim(
  deps: { db: Db },
  venue: VenueRow | null,
  draft: NewReservation,
  tx: Tx,
): Promise<{ draft: NewReservation; unsellable: 'off schedule' | 'inactive' | 'blackout' | null }> {
  const resource = await fenceResource(deps.db, draft.resourceId, tx);
  const slot = venue && resource && pricedSlotAt(venue, resource, draft.slotStart);
  if (!slot) return { draft, unsellable: 'off schedule' };
  const blackouts = await findBlackouts(deps.db, draft.venueId, slot.start, slot.end, tx);
  if (venue.status !== 'active' || resource.status !== 'active') return { draft, unsellable: 'inactive' };
  if (isBlackedOut(resource, slot, blackouts)) return { draft, unsellable: 'blackout' };
  const { resourceIdsAffected: _, ...rest } = draft;
  return { draft: { ...rest, ...termsOf(resource, slot) }, unsellable: null };
}

function draftOf({ rules, resource, slotId }: SlotTarget, slot: PricedSlot, partnerId: string) {
  return {
    _id: newId(),
    partnerId,
    venueId: rules.venue._id,
    resourceId: resource._id,
    slotId,
    slotStart: slot.start,
    ...termsOf(resource, slot),
  };
}

/** The fields of a reservation that follow from its resource and slot. */
function termsOf(resource: ResourceRow, slot: PricedSlot) {
  return {
    slotEnd: slot.end,
    cells: cellsOfWindow(resource, slot),
    pricePaise: slot.pricePaise,
    ...resourcesAffected(resource),
  };
}
