import { fieldError } from '../domain/errors.ts';
import type { Db } from '../platform/mongo.ts';
import { addSharedCellsToClaims } from '../reservations/claims.service.ts';
import type { ResourceRow } from './venues.model.ts';
import { relateResources } from './venues.store.ts';

type Deps = { db: Db };
type Ground = Pick<ResourceRow, '_id' | 'venueId'>;

/**
 * Makes the resource share its ground with `otherIds` of its venue and with no others, on both sides at once. Neither may the
 * resource have claims that do not cover that ground yet (`coverCommonGround`), nor may anybody be sold it meanwhile: then
 * what stands on the others has the ground before anybody could be sold it twice (ADR 0002). Claims keep the cells that they
 * have, those of a relation that has ended too. Safe to repeat, also after a crash in between.
 * @throws DomainError VALIDATION_ERROR where a claim that was being written on one side took ground from one on the other.
 */
export async function shareGround(
  deps: Deps,
  resource: Ground,
  otherIds: readonly string[],
  now: Date,
): Promise<void> {
  await relateResources(deps.db, resource, otherIds);
  await coverCommonGround(
    deps,
    resource,
    otherIds,
    now,
    'change the resource once more, with status: until then it may be inactive',
  );
}

/**
 * Makes what stands on the resource and on the others cover the ground that they have in common, or are going to have.
 * @throws DomainError VALIDATION_ERROR where claims on both sides overlap: they cannot both have it. `again` says what to do
 * once they do not.
 */
export async function coverCommonGround(
  deps: Deps,
  { _id: resourceId }: Ground,
  otherIds: readonly string[],
  now: Date,
  again = 'send it again',
): Promise<void> {
  for (const otherId of otherIds) {
    const overlapping = [
      ...(await addSharedCellsToClaims(deps, resourceId, otherId, now)),
      ...(await addSharedCellsToClaims(deps, otherId, resourceId, now)),
    ];
    const [first] = overlapping;
    if (first === undefined) continue;
    throw fieldError(
      'shares_space_with',
      `holds or bookings on ${resourceId} and ${otherId} overlap, ${overlapping.length} in all, such as at ${first.slotStart.toISOString()}. End one of each two, or wait until they are over, then ${again}.`,
    );
  }
}
