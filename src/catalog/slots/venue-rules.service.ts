import { DomainError } from '../../domain/errors.ts';
import { findCachedGrant } from '../../partners/cached-partners.store.ts';
import { venueNotAuthorized } from '../../partners/partners.service.ts';
import type { Entry } from '../../platform/leased-cache.ts';
import type { Db } from '../../platform/mongo.ts';
import type { ResourceRow } from '../venues/venues.service.ts';
import { findVenueRules, type RulesSource, type VenueRules } from './venue-rules.store.ts';

export type { RulesSource, VenueRules } from './venue-rules.store.ts';

/** A venue's rules, and the cache entries they rest on. */
export type GrantedRules = { rules: VenueRules; entries: readonly Entry[] };

/** Null for a venue that is missing, or not granted to the partner if one is named. */
export async function findGrantedRules(
  { db }: { db: Db },
  partnerId: string | undefined,
  venueId: string,
  from?: RulesSource,
): Promise<GrantedRules | null> {
  const [grant, rules] = await Promise.all([
    partnerId === undefined ? undefined : findCachedGrant(db, partnerId, venueId),
    findVenueRules(db, venueId, from),
  ]);
  if (rules === null || grant === null) return null;
  return { rules: rules.value, entries: grant === undefined ? [rules] : [rules, grant] };
}

/** Decides by cached rules, and confirms a rejection by new reads: something may have been put on sale just now. */
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

/**
 * The rules of a venue that a partner names to sell there, and the named one of its resources.
 * @throws DomainError VENUE_NOT_AUTHORIZED for a venue that is missing or not granted, in the same words;
 * RESOURCE_NOT_FOUND
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

export function requireResourceIn({ resources }: VenueRules, resourceId: string): ResourceRow {
  const resource = resources.find(({ _id }) => _id === resourceId);
  if (resource !== undefined) return resource;
  throw new DomainError(
    'RESOURCE_NOT_FOUND',
    'The venue has no resource with that id. Copy resource_id from the listing of its resources.',
  );
}
