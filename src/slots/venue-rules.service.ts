import type { BlackoutRow } from '../blackouts/blackouts.service.ts';
import { findCurrentBlackouts } from '../blackouts/blackouts.store.ts';
import { DomainError } from '../domain/errors.ts';
import { isCachedGrant } from '../partners/cached-partners.service.ts';
import { venueNotAuthorized } from '../partners/partners.service.ts';
import { leasedCacheOf } from '../platform/leased-cache.ts';
import type { Db } from '../platform/mongo.ts';
import { findCachedResource, venueTag } from '../venues/cached-venues.service.ts';
import type { ResourceRow, VenueRow } from '../venues/venues.service.ts';
import { findResource, findVenue, listResourceRows } from '../venues/venues.store.ts';

/** All that decides what may be sold at a venue, but for claims and the time. One object until something of it changes (ADR 0037). */
export type VenueRules = {
  venue: VenueRow;
  /** By id. */
  resources: readonly ResourceRow[];
  /** Those that had not ended when they were read, by their start. */
  blackouts: readonly BlackoutRow[];
};

export type VenueRulesDeps = { db: Db };

/** `database`: nothing from memory, for a caller whom that would reject. */
export type RulesSource = 'memory' | 'database';

/** Null where there is no such venue. */
async function findVenueRules(
  deps: VenueRulesDeps,
  venueId: string,
  from: RulesSource = 'memory',
): Promise<VenueRules | null> {
  const cache = leasedCacheOf(deps.db);
  const read = from === 'memory' ? cache.read : cache.reread;
  return read(`rules:${venueId}`, async () => {
    const [venue, resources, blackouts] = await Promise.all([
      findVenue(deps.db, venueId),
      listResourceRows(deps.db, venueId),
      findCurrentBlackouts(deps.db, venueId),
    ]);
    return venue === null ? null : { value: { venue, resources, blackouts }, tags: [venueTag(venueId)] };
  });
}

/**
 * The rules of a venue that a partner names in order to sell there.
 * @throws DomainError VENUE_NOT_AUTHORIZED for a venue that is missing or not granted, in the same words.
 */
export async function requireVenueRules(
  deps: VenueRulesDeps,
  partnerId: string,
  venueId: string,
  from?: RulesSource,
): Promise<VenueRules> {
  const rules = (await isCachedGrant(deps.db, partnerId, venueId))
    ? await findVenueRules(deps, venueId, from)
    : null;
  if (rules === null) throw venueNotAuthorized();
  return rules;
}

/**
 * A resource of the venue, with rules that have it: those given, or newer ones where it was added meanwhile.
 * @throws DomainError RESOURCE_NOT_FOUND for a resource that the venue does not have.
 */
export async function requireResourceIn(
  deps: VenueRulesDeps,
  rules: VenueRules,
  resourceId: string,
): Promise<{ rules: VenueRules; resource: ResourceRow }> {
  const found = await findResourceIn(deps, rules, resourceId);
  if (found !== null) return found;
  throw new DomainError(
    'RESOURCE_NOT_FOUND',
    'The venue has no resource with that id. Copy resource_id from the listing of its resources.',
  );
}

/** Of any venue by the resource's id alone; null where there is no such resource. */
export async function findRulesOfResource(
  deps: VenueRulesDeps,
  resourceId: string,
  from: RulesSource,
): Promise<{ rules: VenueRules; resource: ResourceRow } | null> {
  // Only its venue is taken from this, and that it never leaves.
  const row = await findCachedResource(deps.db, resourceId);
  const rules = row === null ? null : await findVenueRules(deps, row.venueId, from);
  return rules === null ? null : findResourceIn(deps, rules, resourceId);
}

async function findResourceIn(
  deps: VenueRulesDeps,
  rules: VenueRules,
  resourceId: string,
): Promise<{ rules: VenueRules; resource: ResourceRow } | null> {
  const resource = resourceOf(rules, resourceId);
  if (resource !== undefined) return { rules, resource };
  const row = await findResource(deps.db, resourceId);
  if (row?.venueId !== rules.venue._id) return null;
  const newer = await findVenueRules(deps, row.venueId, 'database');
  const added = newer === null ? undefined : resourceOf(newer, resourceId);
  return newer === null || added === undefined ? null : { rules: newer, resource: added };
}

const resourceOf = ({ resources }: VenueRules, resourceId: string): ResourceRow | undefined =>
  resources.find(({ _id }) => _id === resourceId);
