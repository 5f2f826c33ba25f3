import {
  cellsOfWindow,
  openingsOf,
  requireAuthorizedVenue,
  requireResourceOf,
} from '../availability/availability.service.ts';
import type { Audience } from '../domain/errors.ts';
import { DomainError } from '../domain/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Db } from '../platform/mongo.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import type { NewReservation } from '../reservations/reservations.store.ts';
import type { ResourceRow, VenueRow } from '../venues/venues.service.ts';
import { findGrantedVenue, findResourceById } from '../venues/venues.service.ts';
import { pricesOf, wallTimesIn } from './price.rules.ts';
import type { ScheduledSlot } from './schedule.rules.ts';
import { scheduledSlotAt } from './schedule.rules.ts';
import { parseSlotId, slotIdOf } from './slot-id.rules.ts';

/** The two ways in which a caller names a slot; both may be given if they agree. */
export type SlotReference = { slotId?: string; venueId?: string; resourceId?: string; slotStart?: Date };

/** A start on a resource that the caller may sell; whether the schedule has a slot there is not checked yet. */
export type SlotTarget = { venue: VenueRow; resource: ResourceRow; slotId: string; start: Date };

/**
 * Finds what a slot reference names, for this partner.
 * @throws DomainError VALIDATION_ERROR where the parts disagree; VENUE_NOT_AUTHORIZED for a venue_id that is unknown or
 * not granted; RESOURCE_NOT_FOUND; SLOT_NOT_FOUND for a slot_id alone that is unknown or of such a venue.
 */
export async function resolveSlotTarget(
  deps: { db: Db },
  partnerId: string,
  reference: SlotReference,
): Promise<SlotTarget> {
  const { slotId, venueId, resourceId, slotStart: start } = reference;
  const named = slotId === undefined ? undefined : parseSlotId(slotId);
  if (named !== undefined) requireAgreement(reference, named);
  if (venueId === undefined) return resolveSlotIdAlone(deps, partnerId, named);
  const venue = await requireAuthorizedVenue(deps, partnerId, venueId);
  if (slotId !== undefined) {
    const target = await resolveSlotIdAlone(deps, partnerId, named);
    if (target.venue._id !== venueId) throw disagreement('venue_id');
    return target;
  }
  if (resourceId === undefined || start === undefined) throw slotNotFound();
  const resource = await requireResourceOf(deps, venueId, resourceId);
  return { venue, resource, slotId: slotIdOf(resource._id, start), start };
}

async function resolveSlotIdAlone(
  deps: { db: Db },
  partnerId: string,
  named: { resourceId: string; start: Date } | undefined,
): Promise<SlotTarget> {
  const resource = named === undefined ? null : await findResourceById(deps, named.resourceId);
  const venue = resource === null ? null : await findGrantedVenue(deps, partnerId, resource.venueId);
  if (named === undefined || resource === null || venue === null) throw slotNotFound();
  return { venue, resource, slotId: slotIdOf(resource._id, named.start), start: named.start };
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

/** The slot that the resource's schedule has at the target. @throws DomainError SLOT_NOT_FOUND */
export function requireScheduledSlot(target: SlotTarget, audience: Audience = 'partner'): ScheduledSlot {
  const { resource, venue, start } = target;
  const slot = scheduledSlotAt(start, openingsOf(resource), resource.durationMinutes, venue.timeZone);
  if (slot === undefined) throw slotNotFound(audience);
  return slot;
}

/** A reservation of the target's slot as it is before it is written: the partner's, at the price of now. */
export function draftReservation(partnerId: string, target: SlotTarget, slot: ScheduledSlot): NewReservation {
  const { venue, resource, slotId } = target;
  return {
    _id: newId(),
    partnerId,
    venueId: venue._id,
    resourceId: resource._id,
    slotId,
    slotStart: slot.start,
    slotEnd: slot.end,
    cells: cellsOfWindow(resource, slot),
    ...omitUndefined({ sharingSince: resource.sharingSince }),
    pricePaise: pricesOf(resource, wallTimesIn(venue.timeZone))(slot.date)(slot.start),
  };
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
