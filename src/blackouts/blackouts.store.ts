import type { Db } from '../platform/mongo.ts';
import type { Page, Position } from '../platform/pagination.ts';
import { beyondAscending, toPage } from '../platform/pagination.ts';
import type { BlackoutRow } from './blackouts.model.ts';
import { blackoutCollection } from './blackouts.model.ts';

export async function insertBlackout(db: Db, blackout: BlackoutRow): Promise<void> {
  await blackoutCollection(db).insertOne(blackout);
}

/**
 * The blackouts of a venue that overlap [from, to), by their start. Of the newest state, committed or about to be: a claim
 * that was just written must not miss one (ADR 0009).
 */
export async function findBlackouts(db: Db, venueId: string, from: Date, to: Date): Promise<BlackoutRow[]> {
  const options = { readConcern: { level: 'local' as const }, readPreference: 'primary' as const };
  return blackoutCollection(db)
    .find({ venueId, endsAt: { $gt: from }, startsAt: { $lt: to } }, options)
    .sort({ startsAt: 1, _id: 1 })
    .toArray();
}

/** False where there is none of that id. */
export async function deleteBlackout(db: Db, blackoutId: string): Promise<boolean> {
  return (await blackoutCollection(db).deleteOne({ _id: blackoutId })).deletedCount === 1;
}

export async function findBlackout(db: Db, blackoutId: string): Promise<BlackoutRow | null> {
  return blackoutCollection(db).findOne({ _id: blackoutId });
}

/** The blackouts of a venue that end after `from`, by their start, ties by id. */
export async function listBlackoutRows(
  db: Db,
  venueId: string,
  from: Date,
  after: Position | undefined,
  limit: number,
): Promise<Page<BlackoutRow>> {
  const rows = await blackoutCollection(db)
    .find({ venueId, endsAt: { $gt: from }, ...beyondAscending(after, 'startsAt') })
    .sort({ startsAt: 1, _id: 1 })
    .limit(limit + 1)
    .toArray();
  return toPage(rows, limit, (row) => ({ at: row.startsAt, id: row._id }));
}

/** How many blackouts of a venue end after `from`. */
export async function countBlackouts(db: Db, venueId: string, from: Date): Promise<number> {
  return blackoutCollection(db).countDocuments({ venueId, endsAt: { $gt: from } });
}
