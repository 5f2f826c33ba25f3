import type { Db } from '../platform/mongo.ts';
import type { BlackoutRow } from './blackouts.model.ts';
import { blackoutCollection } from './blackouts.model.ts';

export async function insertBlackout(db: Db, blackout: BlackoutRow): Promise<void> {
  await blackoutCollection(db).insertOne(blackout);
}

/**
 * The blackouts of a venue that overlap [from, to), by their start. Of the newest state, committed or about to be: a claim
 * that was just written must not miss one (ADR 0009).
 */
export async function findBlackouts(db: Db, venueId: string, from: Date, to?: Date): Promise<BlackoutRow[]> {
  const starts = to === undefined ? {} : { startsAt: { $lt: to } };
  const options = { readConcern: { level: 'local' as const }, readPreference: 'primary' as const };
  return blackoutCollection(db)
    .find({ venueId, endsAt: { $gt: from }, ...starts }, options)
    .sort({ startsAt: 1, _id: 1 })
    .toArray();
}

export async function findBlackout(db: Db, blackoutId: string): Promise<BlackoutRow | null> {
  return blackoutCollection(db).findOne({ _id: blackoutId });
}

/** False where there is none of that id. */
export async function deleteBlackout(db: Db, blackoutId: string): Promise<boolean> {
  return (await blackoutCollection(db).deleteOne({ _id: blackoutId })).deletedCount === 1;
}
