import { audienceOf } from '../../domain/errors.ts';
import { PLATFORM_PARTNER_ID } from '../../domain/platform-partner.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import type { Db, Tx } from '../../platform/mongo.ts';
import { cellsOfWindow, resourcesAffected } from '../../reservations/cells.rules.ts';
import type { NewReservation } from '../../reservations/reservations.store.ts';
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

/** The reservation to insert. `unsellable`: why it cannot be sold; null if only a claim can prevent the sale. */
export type Offer = { draft: NewReservation; unsellable: UnsellableReason | null };

/** `offer` is null without a slot in the schedule. */
export type SlotForSale = SlotTarget & { offer: Offer | null };

/** The reasons that a change of rules can lift. */
const LIFTABLE: ReadonlySet<UnsellableReason | null> = new Set(['blackout', 'inactive'] as const);

/**
 * The slots that a hold may take, the preferred one first, each with its sale status and the draft of its reservation.
 * Only inserting the draft shows whether the slot is claimed. Resources are in the given order; resources of a sport
 * are sorted by price, then by id. `expectedPaise`: the price that the caller has seen.
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
    async (from) =>
      (await findTargets(deps, partnerId, wanted, from)).map((target) => offered(deps, target, partnerId)),
    (slots) =>
      slots.every(({ offer }) => offer === null) ||
      slots.some(({ offer }) =>
        offer === null
          ? !isBySport
          : LIFTABLE.has(offer.unsellable) || (expectedPaise ?? offer.draft.pricePaise) !== offer.draft.pricePaise,
      ),
  );
}

function offered(deps: SlotDeps, target: SlotTarget, partnerId: string): SlotForSale {
  const { slot, resource } = target;
  if (slot === undefined) return { ...target, offer: null };
  const { venue, blackouts } = target.rules;
  const onSale = salePeriodOf(deps.clock.now(), deps.config.bookingHorizonDays, venue.timeZone);
  const unsellable = unsellableReason(venue, resource, slot, onSale, () => isBlackedOut(resource, slot, blackouts));
  return { ...target, offer: { draft: draftOf(target, slot, partnerId), unsellable } };
}

/** A slot of the schedule with the draft of a walk-in there. */
export type SlotForWalkIn = SlotTarget & { slot: PricedSlot; draft: NewReservation };

/**
 * The slots for a walk-in at any venue, or at one granted to `simulatedBy`, the preferred one first, with drafts for
 * the built-in partner `platform`. The walk-in's transaction decides whether a slot may be sold.
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
 * The draft with the slot's current window, price and cells, for the venue transaction that inserts it; or why the slot
 * cannot be sold. The transaction excludes concurrent changes of the venue, its blackouts and the resource (ADR 0007).
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
  const { resourceIdsAffected: _, ...same } = draft;
  return { draft: { ...same, ...termsOf(resource, slot) }, unsellable: null };
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
