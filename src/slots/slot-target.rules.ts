import type { Audience } from '../domain/errors.ts';
import { DomainError } from '../domain/errors.ts';
import { venueNotAuthorized } from '../partners/grant-errors.rules.ts';
import type { ResourceRow } from '../venues/venues.service.ts';
import type { PricedSlot } from './slot.rules.ts';
import { parseSlotId, pricedSlotAt, slotIdOf } from './slot.rules.ts';
import type { VenueRules } from './venue.rules.ts';
import { requireResourceIn } from './venue.rules.ts';

/** The two ways in which a caller names a slot; both may be given if they agree. */
export type SlotReference = { slotId?: string; venueId?: string; resourceId?: string; slotStart?: Date };

/** The rules of the venues that a reference leads to; null for one that is missing, or where the caller may not sell. */
export type ReferencedRules = {
  /** Of the venue that is named; undefined where none is. */
  named: VenueRules | null | undefined;
  /** Of the venue of the slot id's resource; null without a slot id. */
  ofSlotId: VenueRules | null;
};

/** A start on a resource that the caller may sell, and the slot that its schedule has there, if any. */
export type SlotTarget = {
  rules: VenueRules;
  resource: ResourceRow;
  slotId: string;
  start: Date;
  slot: PricedSlot | undefined;
};

/**
 * What a reference names, by these rules.
 * @throws DomainError VALIDATION_ERROR where the parts disagree; VENUE_NOT_AUTHORIZED for a venue_id that is unknown or
 * not granted; RESOURCE_NOT_FOUND; SLOT_NOT_FOUND for a slot_id alone that is unknown or of such a venue.
 */
export function slotAt(
  { named, ofSlotId }: ReferencedRules,
  reference: SlotReference,
  audience: Audience,
): SlotTarget {
  const parsed = reference.slotId === undefined ? undefined : parseSlotId(reference.slotId);
  if (parsed !== undefined) requireAgreement(reference, parsed);
  if (named === null) throw venueNotAuthorized();
  if (reference.slotId === undefined) {
    const { resourceId, slotStart: start } = reference;
    if (named === undefined || resourceId === undefined || start === undefined) throw slotNotFound(audience);
    return targetAt(named, requireResourceIn(named, resourceId), start);
  }
  const resource = parsed && ofSlotId?.resources.find(({ _id }) => _id === parsed.resourceId);
  if (parsed === undefined || ofSlotId === null || resource === undefined) throw slotNotFound(audience);
  if (named !== undefined && named.venue._id !== ofSlotId.venue._id) throw disagreement('venue_id');
  return targetAt(ofSlotId, resource, parsed.start);
}

const targetAt = (rules: VenueRules, resource: ResourceRow, start: Date): SlotTarget => ({
  rules,
  resource,
  slotId: slotIdOf(resource._id, start),
  start,
  slot: pricedSlotAt(rules.venue, resource, start),
});

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
