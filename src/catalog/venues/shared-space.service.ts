import { isDeepStrictEqual } from 'node:util';
import { fieldError } from '../../domain/errors.ts';
import { leasedCacheOf } from '../../platform/leased-cache.ts';
import type { Db, Tx } from '../../platform/mongo.ts';
import { addSharedCellsToClaims } from '../../reservations/reservations.service.ts';
import { relateResources } from './resources.store.ts';
import { inVenueTransaction } from './venue-transaction.service.ts';
import type { ResourceRow } from './venues.model.ts';

/**
 * Makes the resource share its space with exactly `otherIds` of its venue, and these with it. Call `addSharedCells`
 * before, and take the resource off sale: otherwise the space can be sold twice (ADR 0002). Claims keep cells of space
 * that is no longer shared. `onChange` runs in the transaction that changes the relation. Safe to repeat, also after a
 * crash.
 * @throws DomainError VALIDATION_ERROR if a claim written concurrently overlaps a claim on the other side
 */
export async function shareSpace(
  deps: { db: Db },
  resource: Pick<ResourceRow, '_id' | 'venueId'>,
  otherIds: readonly string[],
  onChange: (tx: Tx) => Promise<void>,
): Promise<void> {
  await inVenueTransaction(deps.db, resource.venueId, async (tx) => {
    const before = await relateResources(deps.db, resource, otherIds, tx);
    if (!isDeepStrictEqual(new Set(before), new Set(otherIds))) await onChange(tx);
  });
  // After this wait, the claims of processes that did not know the relation are written and can be found.
  await leasedCacheOf(deps.db).invalidate(otherIds.length > 0 ? 'everywhere' : 'here');
  const remedy = 'repeat the change of the resource and send its status, because it may be inactive until then';
  await addSharedCells(deps, resource._id, otherIds, remedy);
}

/** Makes live claims on either side fill the shared space. @throws DomainError VALIDATION_ERROR if some overlap */
export async function addSharedCells(
  deps: { db: Db },
  resourceId: string,
  otherIds: readonly string[],
  remedy = 'repeat the call',
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
      `holds or bookings on ${resourceId} and ${otherId} overlap, ${overlapping.length} in all, such as at ${first.slotStart.toISOString()}. End one of each pair, or wait until they are over, then ${remedy}.`,
    );
  }
}
