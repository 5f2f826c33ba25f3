import { leasedCacheOf } from '../platform/leased-cache.ts';
import type { Db } from '../platform/mongo.ts';
import { findApiKeysByPrefix, findGrant } from './partners.store.ts';

/** The tag of a partner with its keys, grants and subscriptions. */
export const partnerTag = (partnerId: string): string => `partner:${partnerId}`;

/** The tag of who has grants for a venue; what is read of them has the tag of each partner too. */
export const grantsTag = (venueId: string): string => `grants:${venueId}`;

type KeyOfPartner =
  Awaited<ReturnType<typeof findApiKeysByPrefix>> extends Map<string, infer Key> ? Key : never;

/** A key that opens the interface, from memory where it was asked for lately (ADR 0037). */
export async function findCachedKey(db: Db, prefix: string): Promise<KeyOfPartner | undefined> {
  const found = await leasedCacheOf(db).read(`key:${prefix}`, async () => {
    const key = (await findApiKeysByPrefix(db, [prefix])).get(prefix);
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
