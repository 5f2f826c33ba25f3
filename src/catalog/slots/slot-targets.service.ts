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
  source: RulesSource,
): Promise<SlotTarget[]> {
  const { venueId, slotStart, resourceIds, sportCategory } = wanted;
  if (resourceIds === undefined && sportCategory === undefined)
    return [await findTarget(deps, partnerId, wanted, source)];
  if (venueId === undefined || slotStart === undefined) throw slotNotFound(audienceOf(partnerId));
  const granted = await findGrantedRules(deps, partnerId, venueId, source);
  if (granted === null) throw unknownVenue(partnerId);
  const targetOn = (resource: ResourceRow) => targetAt(granted, resource, slotStart);
  if (resourceIds !== undefined) return resourceIds.map((id) => targetOn(requireResourceIn(granted.rules, id)));
  return resourcesOfSport(granted.rules.resources, wanted).map(targetOn).sort(byPrice);
}

const unknownVenue = (partnerId: string | undefined): DomainError =>
  partnerId === undefined ? venueNotFound() : venueNotAuthorized();

const byPrice = (a: SlotTarget, b: SlotTarget): number =>
  (a.slot?.pricePaise ?? Infinity) - (b.slot?.pricePaise ?? Infinity) || (a.resource._id < b.resource._id ? -1 : 1);

/** @throws DomainError VALIDATION_ERROR for a sport that the venue lacks, or a slot length that the sport lacks */
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

/** The slot by its id, or by its resource and start. @throws DomainError as `findSlotsForSale` */
async function findTarget(
  deps: { db: Db },
  partnerId: string | undefined,
  wanted: WantedSlot,
  source: RulesSource,
): Promise<SlotTarget> {
  const { slotId, venueId, resourceId, slotStart } = wanted;
  const parsed = slotId === undefined ? undefined : parseSlotId(slotId);
  if (parsed !== undefined) requireAgreement(wanted, parsed);
  const venueIdOfSlot = parsed && (await findVenueIdOf(deps.db, parsed.resourceId));
  const find = (id: string | undefined): Promise<GrantedRules | null> | null =>
    id === undefined ? null : findGrantedRules(deps, partnerId, id, source);
  const [byVenueId, bySlotId] = await Promise.all([find(venueId), find(venueIdOfSlot)]);
  if (venueId !== undefined && byVenueId === null) throw unknownVenue(partnerId);
  if (slotId === undefined) {
    if (byVenueId === null || resourceId === undefined || slotStart === undefined)
      throw slotNotFound(audienceOf(partnerId));
    return targetAt(byVenueId, requireResourceIn(byVenueId.rules, resourceId), slotStart);
  }
  const resource = bySlotId?.rules.resources.find(({ _id }) => _id === parsed?.resourceId);
  if (parsed === undefined || bySlotId === null || resource === undefined) throw slotNotFound(audienceOf(partnerId));
  if (byVenueId !== null && byVenueId.rules.venue._id !== bySlotId.rules.venue._id) throw disagreement('venue_id');
  return targetAt(bySlotId, resource, parsed.start);
}

const targetAt = (granted: GrantedRules, resource: ResourceRow, start: Date): SlotTarget => ({
  ...granted,
  resource,
  slotId: slotIdOf(resource._id, start),
  start,
  slot: pricedSlotAt(granted.rules.venue, resource, start),
});

function requireAgreement(wanted: WantedSlot, ofSlotId: { resourceId: string; start: Date }): void {
  const { resourceId = ofSlotId.resourceId, slotStart = ofSlotId.start } = wanted;
  const fields = [
    ...(resourceId === ofSlotId.resourceId ? [] : ['resource_id']),
    ...(slotStart.getTime() === ofSlotId.start.getTime() ? [] : ['slot_start']),
  ];
  if (fields.length > 0) throw disagreement(...fields);
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
  return confirmingRejections(async (source) => {
    const granted = await findGrantedRules(deps, partnerId, venueId, source);
    if (granted === null) throw venueNotAuthorized();
    const { rules } = granted;
    return { rules, resource: resourceId === undefined ? undefined : requireResourceIn(rules, resourceId) };
  });
}

/** Decides by cached rules. If these reject the call, decides again by new reads: a change may have just allowed it. */
export async function confirmingRejections<T>(
  decide: (source: RulesSource) => Promise<T>,
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
