import { isDeepStrictEqual } from 'node:util';
import { fieldError } from '../../domain/errors.ts';
import { leasedCacheOf } from '../../platform/leased-cache.ts';
import type { Db, Tx } from '../../platform/mongo.ts';
import { addSharedCellsToClaims } from '../../reservations/reservations.service.ts';
import { relateResources } from './resources.store.ts';
import { inVenueTransaction } from './venue-transaction.service.ts';
import type { ResourceRow } from './venues.model.ts';

/**
 * Makes the resource share its space with exactly `otherIds` of its venue, on both sides. Before the call, the
 * resource's claims must fill that space (`addSharedCells`) and the resource must be off sale, so that the space is not
 * sold twice (ADR 0002). Claims keep cells of space that is no longer shared. `onChange` runs in the transaction that
 * changes the relation. Safe to repeat, also after a crash.
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
  // After this, every claim made without the relation is written and can be found.
  await leasedCacheOf(deps.db).invalidate(otherIds.length > 0 ? 'everywhere' : 'here');
  const remedy = 'repeat the change of the resource, with status: until then it may be inactive';
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
