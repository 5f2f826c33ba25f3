import { leasedCacheOf } from '../platform/leased-cache.ts';
import type { Db } from '../platform/mongo.ts';
import type { KeyOfPartner } from './partners.store.ts';
import { findApiKey, findApiKeysByPrefix, findGrant } from './partners.store.ts';

/** The tag of a partner with its keys, grants and subscriptions. */
export const partnerTag = (partnerId: string): string => `partner:${partnerId}`;

/** The tag of who has grants for a venue; what is read of them has the tag of each partner too. */
export const grantsTag = (venueId: string): string => `grants:${venueId}`;

/** A key that opens the interface, cached (ADR 0037). */
export async function findCachedKey(db: Db, prefix: string): Promise<KeyOfPartner | undefined> {
  return readKey(db, `key:${prefix}`, async () => (await findApiKeysByPrefix(db, [prefix])).get(prefix));
}

/** The same by its id. */
export async function findCachedKeyById(db: Db, keyId: string): Promise<KeyOfPartner | undefined> {
  return readKey(db, `key-id:${keyId}`, () => findApiKey(db, keyId));
}

async function readKey(
  db: Db,
  cacheKey: string,
  find: () => Promise<KeyOfPartner | undefined>,
): Promise<KeyOfPartner | undefined> {
  const found = await leasedCacheOf(db).read(cacheKey, async () => {
    const key = await find();
    const opens = key?.revokedAt === null && key.partnerStatus === 'active';
    return !opens ? null : { value: key, tags: [partnerTag(key.partnerId)] };
  });
  return found ?? undefined;
}

const GRANTED = {};

/** Whether the partner may operate the venue, from memory where that was asked lately; false only where the database says so. */
export async function isCachedGrant(db: Db, partnerId: string, venueId: string): Promise<boolean> {
  const found = await leasedCacheOf(db).read(`grant:${partnerId}:${venueId}`, async () =>
    (await findGrant(db, partnerId, venueId)) ? { value: GRANTED, tags: [partnerTag(partnerId)] } : null,
  );
  return found !== null;
}
