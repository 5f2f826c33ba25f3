import type { Audience } from '../../domain/errors.ts';
import { audienceOf, DomainError } from '../../domain/errors.ts';
import { PLATFORM_PARTNER_ID } from '../../domain/platform-partner.ts';
import { venueNotAuthorized } from '../../partners/partners.service.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import type { Db, Tx } from '../../platform/mongo.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { cellsOfWindow, resourcesAffected } from '../../reservations/cells.rules.ts';
import type { NewReservation } from '../../reservations/reservations.store.ts';
import { isBlackedOut } from '../blackouts/blackout.rules.ts';
import { findBlackouts } from '../blackouts/blackouts.store.ts';
import { fenceResource } from '../venues/venue-transaction.service.ts';
import type { ResourceRow, VenueRow } from '../venues/venues.service.ts';
import type { PricedSlot, UnsellableReason } from './slot.rules.ts';
import { parseSlotId, pricedSlotAt, salePeriodOf, slotIdOf, unsellableReason } from './slot.rules.ts';
import type { GrantedRules, RulesSource } from './venue-rules.service.ts';
import { decidingBy, findGrantedRules, requireResourceIn } from './venue-rules.service.ts';
import { findVenueIdOf } from './venue-rules.store.ts';

export type SlotDeps = { db: Db; clock: Clock; config: { bookingHorizonDays: number } };

/** A slot by its id or by resource and start; if both are given, they must agree. */
export type SlotReference = { slotId?: string; venueId?: string; resourceId?: string; slotStart?: Date };

/** A start on a resource that the caller may sell, and the schedule's slot there, if any. */
export type SlotTarget = GrantedRules & {
  resource: ResourceRow;
  slotId: string;
  start: Date;
  slot: PricedSlot | undefined;
};

/** The reservation to insert, and why the slot cannot be sold; null if it can, unless it is claimed. */
type Offer = { draft: NewReservation; unsellable: UnsellableReason | null };

/** `offer` is null if the schedule has no slot there. */
export type SlotForSale = SlotTarget & { offer: Offer | null };

const RULED_OUT: ReadonlySet<UnsellableReason | null> = new Set(['blackout', 'inactive'] as const);

/**
 * Everything about a slot that a partner wants to hold: venue, resource, window, price, whether it is on sale, and the
 * draft of its reservation. Only inserting the draft shows whether it is claimed.
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
      const target = await findTarget(deps, partnerId, reference, from);
      const { slot, resource } = target;
      if (slot === undefined) return { ...target, offer: null };
      const { venue, blackouts } = target.rules;
      const onSale = salePeriodOf(deps.clock.now(), deps.config.bookingHorizonDays, venue.timeZone);
      const unsellable = unsellableReason(venue, resource, slot, onSale, () => isBlackedOut(resource, slot, blackouts));
      return { ...target, offer: { draft: draftOf(target, slot, partnerId), unsellable } };
    },
    ({ offer }) => offer === null || RULED_OUT.has(offer.unsellable),
  );
}

/**
 * The slot for a walk-in at any venue, or at one granted to `playedFor`, with a draft for the built-in partner
 * `platform`. The walk-in's transaction decides whether it may be sold. @throws DomainError SLOT_NOT_FOUND
 */
export async function findSlotForWalkIn(
  deps: { db: Db },
  slotId: string,
  playedFor: string | undefined,
): Promise<SlotTarget & { slot: PricedSlot; draft: NewReservation }> {
  const target = await findTarget(deps, playedFor, { slotId }, 'database');
  const { slot } = target;
  if (slot === undefined) throw slotNotFound(audienceOf(playedFor));
  return { ...target, slot, draft: draftOf(target, slot, PLATFORM_PARTNER_ID) };
}

/**
 * The draft with the slot's current window, price and cells, for the venue transaction that inserts it; or why it
 * cannot be sold. The transaction excludes every change of the venue, its blackouts and the resource (ADR 0007).
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

/** What a reference names, at any venue or at one granted to the partner. @throws DomainError as `findSlotForSale` */
async function findTarget(
  deps: { db: Db },
  partnerId: string | undefined,
  reference: SlotReference,
  from: RulesSource,
): Promise<SlotTarget> {
  const { slotId, venueId, resourceId, slotStart } = reference;
  const parsed = slotId === undefined ? undefined : parseSlotId(slotId);
  if (parsed !== undefined) requireAgreement(reference, parsed);
  const idOfSlot = parsed && (await findVenueIdOf(deps.db, parsed.resourceId));
  const find = (id: string | undefined): Promise<GrantedRules | null> | null =>
    id === undefined ? null : findGrantedRules(deps, partnerId, id, from);
  const [named, ofSlotId] = await Promise.all([find(venueId), find(idOfSlot)]);
  if (venueId !== undefined && named === null) throw venueNotAuthorized();
  if (slotId === undefined) {
    if (named === null || resourceId === undefined || slotStart === undefined) throw slotNotFound();
    return targetAt(named, requireResourceIn(named.rules, resourceId), slotStart);
  }
  const resource = ofSlotId?.rules.resources.find(({ _id }) => _id === parsed?.resourceId);
  if (parsed === undefined || ofSlotId === null || resource === undefined) throw slotNotFound(audienceOf(partnerId));
  if (named !== null && named.rules.venue._id !== ofSlotId.rules.venue._id) throw disagreement('venue_id');
  return targetAt(ofSlotId, resource, parsed.start);
}

const targetAt = (granted: GrantedRules, resource: ResourceRow, start: Date): SlotTarget => ({
  ...granted,
  resource,
  slotId: slotIdOf(resource._id, start),
  start,
  slot: pricedSlotAt(granted.rules.venue, resource, start),
});

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

/** What the rules of the resource make of a claim on its slot. */
function termsOf(resource: ResourceRow, slot: PricedSlot) {
  return {
    slotEnd: slot.end,
    cells: cellsOfWindow(resource, slot),
    pricePaise: slot.pricePaise,
    ...omitUndefined({ resourceIdsAffected: resourcesAffected(resource._id, resource.sharesSpaceWith) }),
  };
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
    'Slot not found: slot_id is malformed or unknown, the schedule has no slot at that start, or its venue is not granted to you. Copy slot_id or slot_start from availability. If GET /api/v1/partner/venues lacks the venue, ask the platform operator for a grant.',
  operator:
    "Slot not found: slot_id is malformed or unknown, or the schedule has no slot at that start. Take slot_id from the day's grid in the console.",
};

/** One wording for every reason: it must not reveal slots of venues that are not granted. */
export function slotNotFound(audience: Audience = 'partner'): DomainError {
  return new DomainError('SLOT_NOT_FOUND', NOT_FOUND[audience]);
}
