import type { Db, Expression, Tx } from '../platform/mongo.ts';
import { confirmAbsence, NEWEST } from '../platform/newest-reads.ts';
import { type ApiKeyRow, apiKeyCollection, apiKeyModel, type PartnerRow } from './partners.model.ts';

export async function insertApiKey(db: Db, key: ApiKeyRow, tx?: Tx): Promise<void> {
  await apiKeyModel(db).create([key], tx === undefined ? {} : { session: tx });
}

/**
 * Makes a valid key expire after `afterMs`, unless it expires earlier. Null if the partner has no such valid key. The
 * update itself reads the database's clock: with a time read earlier, a key that a concurrent call has just ended could
 * count as valid.
 */
export async function endApiKeyRow(
  db: Db,
  { partnerId, keyId, afterMs }: { partnerId: string; keyId: string; afterMs: number },
  tx: Tx,
): Promise<ApiKeyRow | null> {
  return apiKeyCollection(db).findOneAndUpdate(
    {
      _id: keyId,
      partnerId,
      revokedAt: null,
      $or: [{ expiresAt: null }, { $expr: { $gt: ['$expiresAt', '$$NOW'] } }],
    },
    [{ $set: { expiresAt: { $min: ['$expiresAt', { $add: ['$$NOW', afterMs] }] } } }],
    { returnDocument: 'after', session: tx },
  );
}

export type KeyOfPartner = ApiKeyRow & { partnerStatus: PartnerRow['status'] | undefined };

/** Keys by prefix, with their partners' status. One round trip, because calls wait for this read. */
export async function findApiKeysByPrefix(db: Db, prefixes: readonly string[]): Promise<Map<string, KeyOfPartner>> {
  const keys = await findApiKeys(db, { prefix: { $in: [...prefixes] } });
  return new Map(keys.map((key) => [key.prefix, key]));
}

export async function findApiKey(db: Db, keyId: string): Promise<KeyOfPartner | undefined> {
  const [key] = await findApiKeys(db, { _id: keyId });
  return key;
}

async function findApiKeys(db: Db, filter: Expression): Promise<KeyOfPartner[]> {
  const partner = { from: 'partners', localField: 'partnerId', foreignField: '_id', as: 'partner' };
  const rows = await apiKeyCollection(db)
    // No `confirmAbsence`: it costs a write, which callers without a valid key must not cause.
    .aggregate<ApiKeyRow & { partner: PartnerRow[] }>([{ $match: filter }, { $lookup: partner }], NEWEST)
    .toArray();
  return rows.map(({ partner: found, ...key }) => ({ ...key, partnerStatus: found[0]?.status }));
}

export async function listApiKeyRows(db: Db, partnerId: string): Promise<ApiKeyRow[]> {
  return apiKeyModel(db).find({ partnerId }).sort({ createdAt: 1, _id: 1 }).lean();
}

/** Sets the last use to now, by the database's clock. */
export async function touchApiKeyRow(db: Db, keyId: string): Promise<void> {
  await apiKeyModel(db).updateOne({ _id: keyId }, { $currentDate: { lastUsedAt: true } });
}

/** Revokes the key now, by the database's clock; false if the partner has no such key. */
export async function revokeApiKeyRow(db: Db, partnerId: string, keyId: string): Promise<boolean> {
  const key = await confirmAbsence(
    (options) => apiKeyCollection(db).findOne({ _id: keyId, partnerId }, options),
    NEWEST,
  );
  if (key === null) return false;
  await apiKeyModel(db).updateOne({ _id: keyId, revokedAt: null }, { $currentDate: { revokedAt: true } });
  return true;
}

export type KeyHolder = {
  key: ApiKeyRow;
  partner: PartnerRow;
  venues: { id: string; name: string }[];
};

/** The key with its partner and the venues granted to it: one round trip. Null if the partner has no such key. */
export async function findKeyHolder(
  db: Db,
  { partnerId, keyId }: { partnerId: string; keyId: string },
): Promise<KeyHolder | null> {
  const partners = { from: 'partners', localField: 'partnerId', foreignField: '_id', as: 'partners' };
  const venues = {
    from: 'grants',
    localField: 'partnerId',
    foreignField: 'partnerId',
    pipeline: [
      { $lookup: { from: 'venues', localField: 'venueId', foreignField: '_id', as: 'venue' } },
      { $unwind: '$venue' },
      { $sort: { 'venue.name': 1, 'venue._id': 1 } },
      { $project: { _id: 0, id: '$venue._id', name: '$venue.name' } },
    ],
    as: 'venues',
  };
  const [row] = await apiKeyCollection(db)
    .aggregate<ApiKeyRow & { partners: PartnerRow[]; venues: KeyHolder['venues'] }>(
      [{ $match: { _id: keyId, partnerId } }, { $lookup: partners }, { $lookup: venues }],
      NEWEST,
    )
    .toArray();
  if (row === undefined) return null;
  const { partners: found, venues: granted, ...key } = row;
  const [partner] = found;
  return partner === undefined ? null : { key, partner, venues: granted };
}
