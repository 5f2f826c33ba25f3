import type { Db } from '../platform/mongo.ts';
import { NEWEST } from '../platform/newest-reads.ts';
import type { ApiKeyRow, PartnerRow } from './partners.model.ts';
import { apiKeyCollection } from './partners.model.ts';

export type KeyHolder = {
  key: ApiKeyRow;
  partner: PartnerRow;
  /** The granted venues that there are, by name. */
  venues: { id: string; name: string }[];
};

/** The key with its partner and the venues granted to it: one round trip. Null where there is no such key of that partner. */
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
