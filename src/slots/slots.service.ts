import { blackedOutBy } from '../blackouts/blackout.rules.ts';
import { audienceOf } from '../domain/errors.ts';
import { PLATFORM_PARTNER_ID } from '../domain/platform-partner.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Entry } from '../platform/leased-cache.ts';
import type { Db } from '../platform/mongo.ts';
import { cellsOfWindow } from '../reservations/cells.rules.ts';
import type { NewReservation } from '../reservations/reservations.store.ts';
import type { PricedSlot, UnsellableReason } from './slot.rules.ts';
import { parseSlotId, salePeriodOf, unsellableReason } from './slot.rules.ts';
import type { SlotReference, SlotTarget } from './slot-target.rules.ts';
import { slotAt, slotNotFound } from './slot-target.rules.ts';
import type { GrantedRules, RulesSource, VenueRulesDeps } from './venue-rules.service.ts';
import { decidingBy, findGrantedRules } from './venue-rules.service.ts';
import { findVenueIdOf } from './venue-rules.store.ts';

export type SlotDeps = { db: Db; clock: Clock; config: { bookingHorizonDays: number } };

/** The reservation of a slot as it is before it is written, and why the slot cannot be sold, unless claimed; null where it can. */
type Offer = { draft: NewReservation; unsellable: UnsellableReason | null };

/** `offer` is null where the schedule has no slot at the target. `entries` are those on which all of it rests. */
export type SlotForSale = SlotTarget & { offer: Offer | null; entries: readonly Entry[] };

const RULED_OUT: ReadonlySet<UnsellableReason | null> = new Set(['blackout', 'inactive'] as const);

/**
 * Everything of a slot that a partner wants to hold, as of now: venue, resource, window, price, whether it may be sold with
 * regard to state, time, horizon and blackouts, and the draft of its reservation. Whether it is claimed shows only when it is claimed.
 * @throws DomainError VALIDATION_ERROR where the parts disagree; VENUE_NOT_AUTHORIZED for a venue_id that is unknown or
 * not granted; RESOURCE_NOT_FOUND; SLOT_NOT_FOUND for a slot_id alone that is unknown or of such a venue.
 */
export async function findSlotForSale(
  deps: SlotDeps,
  partnerId: string,
  reference: SlotReference,
): Promise<SlotForSale> {
  return decidingBy(
    async (from) => {
      const { target, entries } = await findTarget(deps, partnerId, reference, from);
      const { slot, resource } = target;
      if (slot === undefined) return { ...target, offer: null, entries };
      const { venue, blackouts } = target.rules;
      const onSale = salePeriodOf(deps.clock.now(), deps.config.bookingHorizonDays, venue.timeZone);
      const unsellable = unsellableReason(venue, resource, slot, onSale, blackedOutBy(resource, blackouts));
      return { ...target, offer: { draft: draftOf(target, slot, partnerId), unsellable }, entries };
    },
    ({ offer }) => offer === null || RULED_OUT.has(offer.unsellable),
  );
}

/**
 * The same for a walk-in at any venue, or at one of the partner for whom it is played; the draft is of the built-in partner
 * `platform`. Whether the slot may be sold, the walk-in's own transaction decides.
 * @throws DomainError SLOT_NOT_FOUND
 */
export async function findSlotForWalkIn(
  deps: VenueRulesDeps,
  slotId: string,
  playedFor: string | undefined,
): Promise<SlotTarget & { slot: PricedSlot; draft: NewReservation }> {
  const { target } = await findTarget(deps, playedFor, { slotId }, 'database');
  const { slot } = target;
  if (slot === undefined) throw slotNotFound(audienceOf(playedFor));
  return { ...target, slot, draft: draftOf(target, slot, PLATFORM_PARTNER_ID) };
}

/** What the reference names, at any venue or at one of the partner, and the entries on which that rests. */
async function findTarget(
  deps: VenueRulesDeps,
  partnerId: string | undefined,
  reference: SlotReference,
  from: RulesSource,
): Promise<{ target: SlotTarget; entries: readonly Entry[] }> {
  const { slotId = '', venueId } = reference;
  const resourceId = parseSlotId(slotId)?.resourceId;
  const idOfSlot = resourceId === undefined ? undefined : await findVenueIdOf(deps.db, resourceId);
  const find = (id: string | undefined): Promise<GrantedRules | null> | null =>
    id === undefined ? null : findGrantedRules(deps, partnerId, id, from);
  const [named, ofSlotId] = await Promise.all([find(venueId), find(idOfSlot)]);
  const rules = {
    named: venueId === undefined ? undefined : (named?.rules ?? null),
    ofSlotId: ofSlotId?.rules ?? null,
  };
  const target = slotAt(rules, reference, audienceOf(partnerId));
  return { target, entries: (ofSlotId ?? named)?.entries ?? [] };
}

function draftOf({ rules, resource, slotId }: SlotTarget, slot: PricedSlot, partnerId: string) {
  return {
    _id: newId(),
    partnerId,
    venueId: rules.venue._id,
    resourceId: resource._id,
    slotId,
    slotStart: slot.start,
    slotEnd: slot.end,
    cells: cellsOfWindow(resource, slot),
    pricePaise: slot.pricePaise,
  };
}
