import slugify from '@sindresorhus/slugify';
import { DomainError, fieldError, found } from '../../domain/errors.ts';
import { newId } from '../../platform/ids.ts';
import { leasedCacheOf } from '../../platform/leased-cache.ts';
import { type Db, inTransaction, isDuplicateKey, type Tx } from '../../platform/mongo.ts';
import { announce, announcingOnce, type ChangeDeps } from '../changes/changes.service.ts';
import * as store from './resources.store.ts';
import { addSharedCells, shareSpace } from './shared-space.service.ts';
import { changeOfResources, changesOfResource, SLOT_FIELDS } from './venue-changes.rules.ts';
import type { ResourceColumns, ResourceRow, VenueRow } from './venues.model.ts';
import { getGrantedVenue, getVenue } from './venues.service.ts';
import { findVenue } from './venues.store.ts';

export type { PriceRule, ResourceRow } from './venues.model.ts';

export type NewResource = Omit<ResourceRow, '_id' | 'venueId' | 'status' | 'schedule' | 'priceRules'> &
  Partial<Pick<ResourceRow, 'status'>>;

/** With a number appended, a slug must fit in the 200 characters of a resource_id. */
const MAX_SLUG_CHARACTERS = 180;

/**
 * Adds a resource; its id is a slug of venue and resource name, with a number if the slug is taken. With
 * `sharesSpaceWith`, the resource is inactive until all space is shared, so that the unique index on cells rejects
 * every overlap. After a crash in between, call `changeResource` with the same list and the status.
 * @throws DomainError VENUE_NOT_FOUND; VALIDATION_ERROR if `sharesSpaceWith` names a resource of another venue
 */
export async function createResource(
  deps: ChangeDeps,
  venueId: string,
  { sharesSpaceWith, status = 'active', ...input }: NewResource,
): Promise<ResourceRow> {
  const venue = await getVenue(deps, venueId);
  await requireResourcesOf(deps, venueId, sharesSpaceWith, 'shares_space_with');
  const isSharing = sharesSpaceWith.length > 0;
  const draft = { ...input, sharesSpaceWith: [], status: isSharing ? ('inactive' as const) : status };
  const changeOf = (resourceId: string) => changeOfResources(venueId, 'resource', [resourceId, ...sharesSpaceWith]);
  if (!isSharing) {
    const resource = await insertUnderFreeSlug(deps, venue, draft, (id, tx) => announce(deps, changeOf(id), tx));
    await leasedCacheOf(deps.db).invalidate('here');
    return resource;
  }
  return announcingOnce(deps, async ({ begin }) => {
    const resource = await insertUnderFreeSlug(deps, venue, draft, (id, tx) => begin(changeOf(id), tx));
    await leasedCacheOf(deps.db).invalidate('here');
    await shareSpace(deps, resource, sharesSpaceWith, (tx) => begin(changeOf(resource._id), tx));
    return updateResource(deps, resource._id, { status }, true);
  });
}

async function insertUnderFreeSlug(
  deps: { db: Db },
  venue: VenueRow,
  input: Omit<ResourceRow, '_id' | 'venueId'>,
  onInsert: (resourceId: string, tx: Tx) => Promise<void>,
) {
  const slug = slugify(`${venue.name} ${input.name}`).slice(0, MAX_SLUG_CHARACTERS).replace(/-$/, '');
  const base = slug || 'resource';
  for (let number = 1; ; number += 1) {
    const resource = { ...input, _id: number === 1 ? base : `${base}-${number}`, venueId: venue._id };
    try {
      await inTransaction(deps.db, async (tx) => {
        await store.insertResource(deps.db, resource, tx);
        await onInsert(resource._id, tx);
      });
      return resource;
    } catch (err) {
      if (!isDuplicateKey(err)) throw err;
    }
  }
}

/** @throws DomainError VALIDATION_ERROR for `field` if the venue does not have all of `resourceIds` */
export async function requireResourcesOf(
  deps: { db: Db },
  venueId: string,
  resourceIds: readonly string[],
  field: string,
): Promise<void> {
  const known = new Set((await store.listResourceRows(deps.db, venueId)).map((row) => row._id));
  const unknown = resourceIds.filter((id) => !known.has(id));
  if (unknown.length > 0) {
    throw fieldError(field, `names resources that this venue does not have: ${unknown.join(', ')}`);
  }
}

/** @throws DomainError VENUE_NOT_FOUND */
export async function listResources(deps: { db: Db }, venueId: string): Promise<ResourceRow[]> {
  await getVenue(deps, venueId);
  return store.listResourceRows(deps.db, venueId);
}

/** The resources of a venue granted to the partner. @throws DomainError VENUE_NOT_FOUND */
export async function listGrantedResources(deps: { db: Db }, partnerId: string, venueId: string) {
  await getGrantedVenue(deps, partnerId, venueId);
  return store.listResourceRows(deps.db, venueId);
}

/** @throws DomainError RESOURCE_NOT_FOUND */
export async function getResource(deps: { db: Db }, resourceId: string): Promise<ResourceRow> {
  return foundResource(await store.findResource(deps.db, resourceId));
}

/**
 * Changes a resource. With `sharesSpaceWith`, it then shares space with exactly these resources. While it gets more
 * shared space, it is inactive; after a crash or failure it stays inactive until a call sets its status. A status that
 * another call sets meanwhile is kept.
 * @throws DomainError RESOURCE_NOT_FOUND; VALIDATION_ERROR if `sharesSpaceWith` names the resource itself or one of
 *   another venue, or if claims of two resources that are to share space overlap
 */
export async function changeResource(
  deps: ChangeDeps,
  resourceId: string,
  { sharesSpaceWith, ...change }: Omit<ResourceColumns, 'priceRules'>,
): Promise<ResourceRow> {
  if (sharesSpaceWith === undefined) return updateResource(deps, resourceId, change);
  const resource = await getResource(deps, resourceId);
  if (sharesSpaceWith.includes(resourceId)) throw fieldError('shares_space_with', 'names the resource itself');
  await requireResourcesOf(deps, resource.venueId, sharesSpaceWith, 'shares_space_with');
  const isSharingMore = sharesSpaceWith.some((id) => !resource.sharesSpaceWith.includes(id));
  const sharingChange = changeOfResources(resource.venueId, 'resource', [
    resourceId,
    ...sharesSpaceWith.filter((id) => !resource.sharesSpaceWith.includes(id)),
    ...resource.sharesSpaceWith.filter((id) => !sharesSpaceWith.includes(id)),
  ]);
  const callId = newId();
  return announcingOnce(deps, async ({ begin, hasBegun }) => {
    const takeOffSale = () =>
      inTransaction(deps.db, async (tx) => {
        const isSwitched = await store.switchOff(deps.db, resourceId, callId, tx);
        if (isSwitched) await begin(sharingChange, tx);
        return isSwitched;
      });
    const isOff = isSharingMore && (await takeOffSale());
    if (isSharingMore) await leasedCacheOf(deps.db).invalidate('everywhere');
    try {
      await addSharedCells(deps, resourceId, sharesSpaceWith);
    } catch (err) {
      if (isOff && err instanceof DomainError) {
        await store.switchBack(deps.db, resourceId, callId);
        await leasedCacheOf(deps.db).invalidate('here');
      }
      throw err;
    }
    await shareSpace(deps, resource, sharesSpaceWith, (tx) => begin(sharingChange, tx));
    if (isOff && change.status === undefined) await store.switchBack(deps.db, resourceId, callId);
    return updateResource(deps, resourceId, change, hasBegun());
  });
}

type ResourceChange = Omit<ResourceColumns, 'sharesSpaceWith' | 'priceRules'>;

/**
 * After the call, no process sells what the change takes off sale. `isAnnounced`: the caller announces the reason
 * `resource`. @throws DomainError RESOURCE_NOT_FOUND
 */
export async function updateResource(
  deps: ChangeDeps,
  resourceId: string,
  change: ResourceChange,
  isAnnounced = false,
): Promise<ResourceRow> {
  const updated = await inTransaction(deps.db, async (tx) => {
    const before = await store.updateResourceRow(deps.db, resourceId, change, tx);
    if (before === null) return null;
    const after = { ...before, ...change };
    for (const announced of changesOfResource(before, after))
      if (!(isAnnounced && announced.reason === 'resource')) await announce(deps, announced, tx);
    return after;
  });
  const resource = foundResource(updated);
  const isOffSale = change.status === 'inactive';
  if (!isOffSale && SLOT_FIELDS.some((field) => change[field] !== undefined)) await slotsChanged(deps, resource);
  else await leasedCacheOf(deps.db).invalidate(isOffSale ? 'everywhere' : 'here');
  return resource;
}

/**
 * Call it after a change of a resource's slots. Waits until no process sells the old slots, unless the resource is off
 * sale, as in an import.
 */
export async function slotsChanged(deps: { db: Db }, resource: ResourceRow): Promise<void> {
  const { status, venueId } = resource;
  const isOnSale = status === 'active' && (await findVenue(deps.db, venueId))?.status === 'active';
  await leasedCacheOf(deps.db).invalidate(isOnSale ? 'everywhere' : 'here');
}

const foundResource = (resource: ResourceRow | null) =>
  found(resource, 'RESOURCE_NOT_FOUND', 'There is no resource with that id.');
