import { blackedOutBy } from '../blackouts/blackout.rules.ts';
import type { Audience } from '../domain/errors.ts';
import { audienceOf, DomainError } from '../domain/errors.ts';
import { PLATFORM_PARTNER_ID } from '../domain/platform-partner.ts';
import { isCachedGrant } from '../partners/cached-partners.service.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Db } from '../platform/mongo.ts';
import { cellsOfWindow } from '../reservations/cells.rules.ts';
import type { NewReservation } from '../reservations/reservations.store.ts';
import type { ResourceRow } from '../venues/venues.service.ts';
import type { PricedSlot, UnsellableReason } from './slot.rules.ts';
import { parseSlotId, pricedSlotAt, salePeriodOf, slotIdOf, unsellableReason } from './slot.rules.ts';
import type { RulesSource, VenueRules, VenueRulesDeps } from './venue-rules.service.ts';
import { findRulesOfResource, requireResourceIn, requireVenueRules } from './venue-rules.service.ts';

export type SlotDeps = { db: Db; clock: Clock; config: { bookingHorizonDays: number } };

/** The two ways in which a caller names a slot; both may be given if they agree. */
export type SlotReference = { slotId?: string; venueId?: string; resourceId?: string; slotStart?: Date };

/** A start on a resource that the caller may sell. */
export type SlotTarget = { rules: VenueRules; resource: ResourceRow; slotId: string; start: Date };

/** What the schedule has there: window and price, and the reservation of it as it is before it is written. */
type Offer = { slot: PricedSlot; draft: NewReservation };

/** `offer` is null where the schedule has no slot at the target, `unsellable` where it can be sold unless somebody has claimed it. */
export type LoadedSlot = SlotTarget & { offer: (Offer & { unsellable: UnsellableReason | null }) | null };

/**
 * Everything of a slot that a partner wants to hold, as of now: venue, resource, window, price, whether it may be sold with
 * regard to state, time, horizon and blackouts, and the draft of its reservation. Whether it is claimed shows only when it is claimed.
 * @throws DomainError VALIDATION_ERROR where the parts disagree; VENUE_NOT_AUTHORIZED for a venue_id that is unknown or
 * not granted; RESOURCE_NOT_FOUND; SLOT_NOT_FOUND for a slot_id alone that is unknown or of such a venue.
 */
export async function loadSlot(
  deps: SlotDeps,
  partnerId: string,
  reference: SlotReference,
): Promise<LoadedSlot> {
  const slot = await loadSlotFrom('memory', deps, partnerId, reference);
  const isOnSale = slot.offer !== null && !RULED_OUT.has(slot.offer.unsellable);
  // What was opened for sale a moment ago by another process may not be known here yet.
  return isOnSale ? slot : loadSlotFrom('database', deps, partnerId, reference);
}

const RULED_OUT: ReadonlySet<UnsellableReason | null> = new Set(['blackout', 'inactive'] as const);

async function loadSlotFrom(
  from: RulesSource,
  deps: SlotDeps,
  partnerId: string,
  reference: SlotReference,
): Promise<LoadedSlot> {
  const target = await findTarget(deps, partnerId, reference, from);
  const offer = offerAt(target, partnerId);
  if (offer === null) return { ...target, offer };
  const { resource } = target;
  const { venue, blackouts } = target.rules;
  const onSale = salePeriodOf(deps.clock.now(), deps.config.bookingHorizonDays, venue.timeZone);
  const isClosed = blackedOutBy(resource, blackouts);
  const unsellable = unsellableReason(venue, resource, offer.slot, onSale, isClosed);
  return { ...target, offer: { ...offer, unsellable } };
}

/**
 * The same for a walk-in at any venue, or at one of the partner for whom it is played; the draft is of the built-in partner
 * `platform`. Whether the slot may be sold, the walk-in's own transaction decides.
 * @throws DomainError SLOT_NOT_FOUND
 */
export async function loadSlotForWalkIn(
  deps: VenueRulesDeps,
  slotId: string,
  playedFor: string | undefined,
): Promise<SlotTarget & Offer> {
  const target = await findTarget(deps, playedFor, { slotId }, 'database');
  const offer = offerAt(target, PLATFORM_PARTNER_ID);
  if (offer === null) throw slotNotFound(audienceOf(playedFor));
  return { ...target, ...offer };
}

async function findTarget(
  deps: VenueRulesDeps,
  partnerId: string | undefined,
  reference: SlotReference,
  from: RulesSource,
): Promise<SlotTarget> {
  const { slotId, venueId, resourceId, slotStart: start } = reference;
  const named = slotId === undefined ? undefined : parseSlotId(slotId);
  if (named !== undefined) requireAgreement(reference, named);
  const given =
    venueId === undefined || partnerId === undefined
      ? undefined
      : await requireVenueRules(deps, partnerId, venueId, from);
  if (slotId !== undefined) return targetOf(deps, partnerId, named, given?.venue._id, from);
  if (given === undefined || resourceId === undefined || start === undefined) throw slotNotFound();
  const found = await requireResourceIn(deps, given, resourceId);
  return { ...found, slotId: slotIdOf(resourceId, start), start };
}

/** What a slot id names; it must be of the venue `givenId`, which is granted, where there is one. */
async function targetOf(
  deps: VenueRulesDeps,
  partnerId: string | undefined,
  named: { resourceId: string; start: Date } | undefined,
  givenId: string | undefined,
  from: RulesSource,
): Promise<SlotTarget> {
  const found = named === undefined ? null : await findRulesOfResource(deps, named.resourceId, from);
  if (named === undefined || found === null) throw slotNotFound(audienceOf(partnerId));
  const venueId = found.rules.venue._id;
  if (givenId !== venueId) {
    const isGranted = partnerId === undefined || (await isCachedGrant(deps.db, partnerId, venueId));
    if (!isGranted) throw slotNotFound(audienceOf(partnerId));
    if (givenId !== undefined) throw disagreement('venue_id');
  }
  return { ...found, slotId: slotIdOf(named.resourceId, named.start), start: named.start };
}

function offerAt({ rules, resource, slotId, start }: SlotTarget, partnerId: string): Offer | null {
  const slot = pricedSlotAt(rules.venue, resource, start);
  if (slot === undefined) return null;
  const draft = {
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
  return { slot, draft };
}

function requireAgreement(reference: SlotReference, named: { resourceId: string; start: Date }): void {
  const { resourceId = named.resourceId, slotStart = named.start } = reference;
  const faulty = [
    ...(resourceId === named.resourceId ? [] : ['resource_id']),
    ...(slotStart.getTime() === named.start.getTime() ? [] : ['slot_start']),
  ];
  if (faulty.length > 0) throw disagreement(...faulty);
}

function disagreement(...fields: string[]): DomainError {
  const message = 'does not agree with slot_id. Send slot_id alone, or values that agree.';
  const details = fields.map((path) => ({ path, message }));
  return new DomainError('VALIDATION_ERROR', `${fields.join(', ')}: ${message}`, { details });
}

const NOT_FOUND: Record<Audience, string> = {
  partner:
    "You may sell no such slot: slot_id is malformed or unknown, the resource's schedule has no slot that starts then, or its venue is not granted to you. Copy slot_id, or slot_start, from availability. Where GET /api/v1/partner/venues does not list the venue, ask the platform operator for a grant.",
  operator:
    "There is no such slot: slot_id is malformed or unknown, or the resource's schedule has no slot that starts then. Take slot_id from the day's grid in the console.",
};

/** In one wording whatever the reason, so that nobody learns which slots there are at venues that are not granted. */
export function slotNotFound(audience: Audience = 'partner'): DomainError {
  return new DomainError('SLOT_NOT_FOUND', NOT_FOUND[audience]);
}
