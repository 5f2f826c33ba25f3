import type { Db, Tx } from '../../platform/mongo.ts';
import { confirmAbsence, NEWEST } from '../../platform/newest-reads.ts';
import { beyondAscending, type Page, type PageWanted, toPage } from '../../platform/pagination.ts';
import { type BlackoutRow, blackoutCollection } from './blackouts.model.ts';

export async function insertBlackout(db: Db, blackout: BlackoutRow, tx: Tx): Promise<void> {
  await blackoutCollection(db).insertOne(blackout, { session: tx });
}

/** A venue's blackouts that overlap [from, to), by start: as `tx` sees them, or in the newest state. */
export async function findBlackouts(db: Db, venueId: string, from: Date, to: Date, tx?: Tx): Promise<BlackoutRow[]> {
  const options = tx === undefined ? NEWEST : { session: tx };
  return blackoutCollection(db)
    .find({ venueId, endsAt: { $gt: from }, startsAt: { $lt: to } }, options)
    .sort({ startsAt: 1, _id: 1 })
    .toArray();
}

/** The deleted blackout; null if no blackout has that id. */
export async function deleteBlackout(db: Db, blackoutId: string, tx: Tx): Promise<BlackoutRow | null> {
  return blackoutCollection(db).findOneAndDelete({ _id: blackoutId }, { session: tx });
}

export async function findBlackout(db: Db, blackoutId: string): Promise<BlackoutRow | null> {
  return confirmAbsence((options) => blackoutCollection(db).findOne({ _id: blackoutId }, options));
}

/** The blackouts of a venue that end after `from`, by their start, ties by id. */
export async function listBlackoutRows(
  db: Db,
  venueId: string,
  from: Date,
  { after, limit }: PageWanted,
): Promise<Page<BlackoutRow>> {
  const rows = await blackoutCollection(db)
    .find({ venueId, endsAt: { $gt: from }, ...beyondAscending(after, 'startsAt') })
    .sort({ startsAt: 1, _id: 1 })
    .limit(limit + 1)
    .toArray();
  return toPage(rows, limit, (row) => ({ at: row.startsAt, id: row._id }));
}

export async function countBlackouts(db: Db, venueId: string, from: Date): Promise<number> {
  return blackoutCollection(db).countDocuments({ venueId, endsAt: { $gt: from } });
}
