import type { EntryKind } from '../platform/cache-entries.store.ts';
import { type Entry, leasedCacheOf } from '../platform/leased-cache.ts';
import type { Db } from '../platform/mongo.ts';
import type { KeyOfPartner } from './api-keys.store.ts';
import { grantIdOf } from './partners.model.ts';

const withPartner = { from: 'partners', localField: 'partnerId', foreignField: '_id', as: 'partner' };
const partnerStatus = { $set: { partnerStatus: { $first: '$partner.status' } } };

const KEYS: EntryKind = {
  collection: 'api_keys',
  // `lastUsedAt` is written at every use.
  stages: [{ $lookup: withPartner }, partnerStatus, { $unset: ['partner', 'lastUsedAt'] }],
};

const GRANTS: EntryKind = {
  collection: 'grants',
  stages: [{ $lookup: withPartner }, partnerStatus, { $project: { partnerStatus: 1 } }],
};

/** A key from the cache (ADR 0006); null if it is revoked or its partner not active. It may have expired. */
export async function findCachedKey(db: Db, keyId: string): Promise<Entry<KeyOfPartner> | null> {
  const found = await leasedCacheOf(db).read<KeyOfPartner>(KEYS, keyId);
  return found?.value.revokedAt === null && found.value.partnerStatus === 'active' ? found : null;
}

/** The partner's grant for the venue from the cache, with the state of the partner; null if there is none. */
export async function findCachedGrant(
  db: Db,
  partnerId: string,
  venueId: string,
): Promise<Entry<Pick<KeyOfPartner, 'partnerStatus'>> | null> {
  return leasedCacheOf(db).read(GRANTS, grantIdOf(partnerId, venueId));
}
