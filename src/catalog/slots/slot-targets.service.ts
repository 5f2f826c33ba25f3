import { type Audience, audienceOf, DomainError, fieldError } from '../../domain/errors.ts';
import { venueNotAuthorized } from '../../partners/partners.service.ts';
import { foldCase } from '../../platform/fold-case.rules.ts';
import type { Db } from '../../platform/mongo.ts';
import type { ResourceRow } from '../venues/resources.service.ts';
import { venueNotFound } from '../venues/venues.service.ts';
import { type PricedSlot, parseSlotId, pricedSlotAt, slotIdOf } from './slot.rules.ts';
import {
  findGrantedRules,
  findVenueIdOf,
  type GrantedRules,
  type RulesSource,
  type VenueRules,
} from './venue-rules.store.ts';

/**
 * One slot by its id or by resource and start (which must agree if both are given), or the slots of a venue that begin
 * at `slotStart`, on `resourceIds` or on all resources of a sport.
 */
export type WantedSlot = {
  slotId?: string;
  venueId?: string;
  slotStart?: Date;
  resourceId?: string;
  resourceIds?: readonly string[];
  sportCategory?: string;
  durationMinutes?: number;
};

/** A resource that the caller may sell, a start, and the schedule's slot there, if any. */
export type SlotTarget = GrantedRules & {
  resource: ResourceRow;
  slotId: string;
  start: Date;
  slot: PricedSlot | undefined;
};

/** The slots that the caller wants, the preferred one first. @throws DomainError as `findSlotsForSale` */
export async function findTargets(
  deps: { db: Db },
  partnerId: string | undefined,
  wanted: WantedSlot,
  from: RulesSource,
): Promise<SlotTarget[]> {
  const { venueId, slotStart, resourceIds, sportCategory } = wanted;
  if (resourceIds === undefined && sportCategory === undefined)
    return [await findTarget(deps, partnerId, wanted, from)];
  if (venueId === undefined || slotStart === undefined) throw slotNotFound(audienceOf(partnerId));
  const granted = await findGrantedRules(deps, partnerId, venueId, from);
  if (granted === null) throw unknownVenue(partnerId);
  const at = (resource: ResourceRow) => targetAt(granted, resource, slotStart);
  if (resourceIds !== undefined) return resourceIds.map((id) => at(requireResourceIn(granted.rules, id)));
  return resourcesOfSport(granted.rules.resources, wanted).map(at).sort(byPrice);
}

const unknownVenue = (partnerId: string | undefined): DomainError =>
  partnerId === undefined ? venueNotFound() : venueNotAuthorized();

const byPrice = (a: SlotTarget, b: SlotTarget): number =>
  (a.slot?.pricePaise ?? Infinity) - (b.slot?.pricePaise ?? Infinity) || (a.resource._id < b.resource._id ? -1 : 1);

/** @throws DomainError VALIDATION_ERROR for a sport, or a length of its slots, that the venue does not have */
function resourcesOfSport(
  resources: readonly ResourceRow[],
  { sportCategory = '', durationMinutes }: WantedSlot,
): ResourceRow[] {
  const ofSport = resources.filter((each) => foldCase(each.sportCategory) === foldCase(sportCategory));
  if (ofSport.length === 0) {
    const sports = [...new Set(resources.map((each) => each.sportCategory))].sort();
    throw fieldError('sport_category', `is not offered at the venue. It has ${sports.join(', ') || 'no resources'}.`);
  }
  if (durationMinutes === undefined) return ofSport;
  const fitting = ofSport.filter((each) => each.durationMinutes === durationMinutes);
  if (fitting.length > 0) return fitting;
  const lengths = [...new Set(ofSport.map((each) => each.durationMinutes))].sort((a, b) => a - b);
  throw fieldError('duration_minutes', `is not offered at the venue for this sport. It has ${lengths.join(', ')}.`);
}

/** The slot that `reference` names, at any or a granted venue. @throws DomainError as `findSlotsForSale` */
async function findTarget(
  deps: { db: Db },
  partnerId: string | undefined,
  reference: WantedSlot,
  from: RulesSource,
): Promise<SlotTarget> {
  const { slotId, venueId, resourceId, slotStart } = reference;
  const parsed = slotId === undefined ? undefined : parseSlotId(slotId);
  if (parsed !== undefined) requireAgreement(reference, parsed);
  const idOfSlot = parsed && (await findVenueIdOf(deps.db, parsed.resourceId));
  const find = (id: string | undefined): Promise<GrantedRules | null> | null =>
    id === undefined ? null : findGrantedRules(deps, partnerId, id, from);
  const [named, ofSlotId] = await Promise.all([find(venueId), find(idOfSlot)]);
  if (venueId !== undefined && named === null) throw unknownVenue(partnerId);
  if (slotId === undefined) {
    if (named === null || resourceId === undefined || slotStart === undefined)
      throw slotNotFound(audienceOf(partnerId));
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

function requireAgreement(reference: WantedSlot, named: { resourceId: string; start: Date }): void {
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

/** One message for every reason, to reveal no slots of venues that are not granted. */
export function slotNotFound(audience: Audience = 'partner'): DomainError {
  return new DomainError('SLOT_NOT_FOUND', NOT_FOUND[audience]);
}

/**
 * The rules of a granted venue, and its resource `resourceId` if given.
 * @throws DomainError VENUE_NOT_AUTHORIZED for a venue that is missing or not granted (same message);
 *   RESOURCE_NOT_FOUND
 */
export async function requireVenueRules(
  deps: { db: Db },
  partnerId: string,
  venueId: string,
  resourceId?: string,
): Promise<{ rules: VenueRules; resource: ResourceRow | undefined }> {
  return confirmingRejections(async (from) => {
    const granted = await findGrantedRules(deps, partnerId, venueId, from);
    if (granted === null) throw venueNotAuthorized();
    const { rules } = granted;
    return { rules, resource: resourceId === undefined ? undefined : requireResourceIn(rules, resourceId) };
  });
}

/** Decides by cached rules, and decides a rejection again by new reads: something may have just been put on sale. */
export async function confirmingRejections<T>(
  decide: (from: RulesSource) => Promise<T>,
  isRejected: (decided: T) => boolean = () => false,
): Promise<T> {
  const decided = await decide('cache').catch((err: unknown) => {
    if (err instanceof DomainError) return undefined;
    throw err;
  });
  return decided === undefined || isRejected(decided) ? decide('database') : decided;
}

function requireResourceIn({ resources }: VenueRules, resourceId: string): ResourceRow {
  const resource = resources.find(({ _id }) => _id === resourceId);
  if (resource !== undefined) return resource;
  throw new DomainError(
    'RESOURCE_NOT_FOUND',
    'The venue has no resource with that id. Copy resource_id from the listing of its resources.',
  );
}
