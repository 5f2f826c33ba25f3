import { findCachedGrant } from '../../partners/partners.store.ts';
import type { EntryKind } from '../../platform/cache-entries.store.ts';
import { type Entry, leasedCacheOf } from '../../platform/leased-cache.ts';
import type { Db } from '../../platform/mongo.ts';
import type { BlackoutRow } from '../blackouts/blackouts.model.ts';
import type { ResourceRow, VenueRow } from '../venues/venues.model.ts';

/**
 * The stored facts, except claims, that decide what a venue may sell. Calls get the same object until a fact changes.
 */
export type VenueRules = {
  venue: VenueRow;
  /** Sorted by id. */
  resources: readonly ResourceRow[];
  /** Blackouts that had not ended when they were read, sorted by start. */
  blackouts: readonly BlackoutRow[];
};

/** `database`: a new read, so that outdated rules reject no call. */
export type RulesSource = 'cache' | 'database';

/** Leave out `claimFence`: every walk-in increments it, which would count as a change of the rules. */
const WITHOUT_FENCE = { $unset: 'claimFence' };

const ofVenue = (collection: string, pipeline: readonly object[]) => ({
  $lookup: { from: collection, localField: '_id', foreignField: 'venueId', pipeline, as: collection },
});

const VENUES: EntryKind = {
  collection: 'venues',
  stages: [
    WITHOUT_FENCE,
    { $project: { venue: '$$ROOT' } },
    ofVenue('resources', [WITHOUT_FENCE, { $sort: { _id: 1 } }]),
    ofVenue('blackouts', [{ $match: { $expr: { $gt: ['$endsAt', '$$NOW'] } } }, { $sort: { startsAt: 1, _id: 1 } }]),
  ],
};

const RESOURCES: EntryKind = { collection: 'resources', stages: [{ $project: { venueId: 1 } }] };

/** Null if there is no such venue. */
export const findVenueRules = (db: Db, venueId: string, source?: RulesSource): Promise<Entry<VenueRules> | null> =>
  leasedCacheOf(db).read<VenueRules>(VENUES, venueId, source);

/** The venue id of a resource, which never changes; undefined if there is no such resource. */
export async function findVenueIdOf(db: Db, resourceId: string): Promise<string | undefined> {
  const found = await leasedCacheOf(db).read<Pick<ResourceRow, 'venueId'>>(RESOURCES, resourceId);
  return found?.value.venueId;
}

/** A venue's rules, and the cache entries that they were read from. */
export type GrantedRules = { rules: VenueRules; entries: readonly Entry[] };

/** Null if the venue is missing, or not granted to `partnerId` (if given). */
export async function findGrantedRules(
  { db }: { db: Db },
  partnerId: string | undefined,
  venueId: string,
  source?: RulesSource,
): Promise<GrantedRules | null> {
  const [grant, rules] = await Promise.all([
    partnerId === undefined ? undefined : findCachedGrant(db, partnerId, venueId),
    findVenueRules(db, venueId, source),
  ]);
  if (rules === null || grant === null) return null;
  return { rules: rules.value, entries: grant === undefined ? [rules] : [rules, grant] };
}
