import type { Db, Tx } from '../platform/mongo.ts';
import { confirmAbsence, NEWEST } from '../platform/newest-reads.ts';
import type { Page, Position } from '../platform/pagination.ts';
import { beyondAscending, toPage } from '../platform/pagination.ts';
import type { BlackoutRow } from './blackouts.model.ts';
import { blackoutCollection } from './blackouts.model.ts';

/** Inserts a blackout that is created at the database's now; an upsert, because only an update can read `$$NOW`. */
export async function insertBlackout(
  db: Db,
  blackout: Omit<BlackoutRow, 'createdAt' | 'reportedIds'>,
  tx: Tx,
): Promise<BlackoutRow> {
  const document = { $mergeObjects: [{ $literal: blackout }, { createdAt: '$$NOW' }] };
  const row = await blackoutCollection(db).findOneAndUpdate(
    { _id: blackout._id },
    [{ $replaceWith: document }],
    { upsert: true, returnDocument: 'after', session: tx },
  );
  if (row === null) throw new Error('An upsert returned no document');
  return row;
}

/** Keeps which young claims the report named; false where a report is there already. */
export async function keepReported(db: Db, blackoutId: string, reportedIds: string[]): Promise<boolean> {
  const { matchedCount } = await blackoutCollection(db).updateOne(
    { _id: blackoutId, reportedIds: { $exists: false } },
    { $set: { reportedIds } },
  );
  return matchedCount === 1;
}

/**
 * The blackouts of a venue that overlap [from, to), by their start. Outside a transaction of the newest state, committed or about
 * to be: a hold that was just written must not miss one (ADR 0009).
 */
export async function findBlackouts(
  db: Db,
  venueId: string,
  from: Date,
  to: Date,
  tx?: Tx,
): Promise<BlackoutRow[]> {
  const options = tx === undefined ? NEWEST : { session: tx };
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
  return confirmAbsence((options) => blackoutCollection(db).findOne({ _id: blackoutId }, options));
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
