import { leasedCacheOf } from '../platform/leased-cache.ts';
import type { Db } from '../platform/mongo.ts';
import { venueTag } from './cached-venues.service.ts';

/** To be called after every change of a venue, its resources or blackouts: other processes know of it within a lease (ADR 0037). */
export async function venueChanged({ db }: { db: Db }, venueId: string): Promise<void> {
  await leasedCacheOf(db).changed([venueTag(venueId)]);
}

/** The same after a change that takes something off sale: when it returns, nothing is sold any more by what was before. */
export async function venueRestricted({ db }: { db: Db }, venueId: string): Promise<void> {
  await leasedCacheOf(db).changedForAll([venueTag(venueId)]);
}
