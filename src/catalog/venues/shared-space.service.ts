import { fieldError } from '../../domain/errors.ts';
import { leasedCacheOf } from '../../platform/leased-cache.ts';
import type { Db } from '../../platform/mongo.ts';
import { addSharedCellsToClaims } from '../../reservations/claims.service.ts';
import { inVenueTransaction } from './venue-transaction.service.ts';
import type { ResourceRow } from './venues.model.ts';
import { relateResources } from './venues.store.ts';

/**
 * Makes the resource share its space with `otherIds` of its venue and with no others, on both sides at once. Neither may the
 * resource have claims that do not fill that space yet (`addSharedCells`), nor may it be on sale meanwhile: then the claims on
 * the others have the space before anybody could be sold it twice (ADR 0002). Claims keep the cells that they have, those of a
 * relation that has ended too. Safe to repeat, also after a crash in between.
 * @throws DomainError VALIDATION_ERROR where a claim that was being written on one side took space from one on the other.
 */
export async function shareSpace(
  deps: { db: Db },
  resource: Pick<ResourceRow, '_id' | 'venueId'>,
  otherIds: readonly string[],
): Promise<void> {
  await inVenueTransaction(deps.db, resource.venueId, (tx) =>
    relateResources(deps.db, resource, otherIds, tx),
  );
  // What is sold without the relation is written when this returns, and is found.
  const cache = leasedCacheOf(deps.db);
  if (otherIds.length > 0) await cache.changedForAll();
  else cache.freshen();
  const remedy = 'change the resource once more, with status: until then it may be inactive';
  await addSharedCells(deps, resource._id, otherIds, remedy);
}

/**
 * Makes the live claims on the resource and on the others fill the space that they share, or are going to share.
 * @throws DomainError VALIDATION_ERROR where claims on both sides overlap: they cannot both have it. `remedy` says what to do
 * once they do not.
 */
export async function addSharedCells(
  deps: { db: Db },
  resourceId: string,
  otherIds: readonly string[],
  remedy = 'send it again',
): Promise<void> {
  for (const otherId of otherIds) {
    const overlapping = [
      ...(await addSharedCellsToClaims(deps, resourceId, otherId)),
      ...(await addSharedCellsToClaims(deps, otherId, resourceId)),
    ];
    const [first] = overlapping;
    if (first === undefined) continue;
    throw fieldError(
      'shares_space_with',
      `holds or bookings on ${resourceId} and ${otherId} overlap, ${overlapping.length} in all, such as at ${first.slotStart.toISOString()}. End one of each two, or wait until they are over, then ${remedy}.`,
    );
  }
}
