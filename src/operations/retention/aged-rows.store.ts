import mongoose from 'mongoose';
import type { RetentionRule } from '../../domain/retention.ts';
import { writeEach } from '../../platform/bulk-writes.ts';
import { readDatabaseTime } from '../../platform/clock.ts';
import type { Db } from '../../platform/mongo.ts';
import { isDuplicateKey, openCollection } from '../../platform/mongo.ts';
import { NEWEST } from '../../platform/newest-reads.ts';

const { EJSON } = mongoose.mongo.BSON;

/** A row with the types that it has in the database: an integer and a double of one value stay two things. */
export type AgedRow = Record<string, unknown> & { _id: string };

/**
 * The end of a page: a value of the rule's field, and the ids of what was left there of that value; without them, nothing of it is to be
 * looked at any more. `windowEnd`: the end of the window in which it lies.
 */
export type AgedPosition = { value: unknown; left?: readonly string[]; windowEnd?: unknown };

/** So many rows are looked at together at most, beside those of one value: of them all may have to stay. */
const WINDOW = 5000;

/** What was over before `before` may go. By the database's clock that is `days` days ago, or longer. */
export type CutOff = { before: Date; days: number };

const DAY_MS = 86_400_000;

/** The cut-off of rows that are kept for `days` days, by the database's clock. */
export async function findCutOff(db: Db, days: number): Promise<CutOff> {
  return { before: new Date((await readDatabaseTime(db)).getTime() - days * DAY_MS), days };
}

/** As they are in the database. */
const RAW = { ...NEWEST, promoteValues: false, promoteLongs: false, promoteBuffers: false };

/**
 * Up to `limit` rows that are over since `before`, oldest first and after `from`, all of them in one window of the index. With fewer than
 * `limit` its end, `windowEnd`, is where to go on; it is undefined where nothing lies behind it.
 */
export async function findAgedRows(
  db: Db,
  rule: RetentionRule,
  before: Date,
  from: AgedPosition | undefined,
  limit: number,
): Promise<{ rows: AgedRow[]; windowEnd: unknown }> {
  const { collection, field, hint, isWalked, isOver } = rule;
  const windowEnd = from?.windowEnd ?? (await findWindowEnd(db, rule, before, from));
  const within = windowEnd === undefined ? [] : [{ [field]: { $lte: windowEnd } }];
  const filter = { $and: [isWalked(before), ...behind(field, from), ...within, isOver(before)] };
  const rows = await openCollection<AgedRow>(db, collection)
    .find(filter as never, RAW)
    .sort({ [field]: 1 })
    .hint(hint)
    .limit(limit)
    .batchSize(limit)
    .toArray();
  return { rows, windowEnd };
}

/** The value of the rule's field so many rows behind `from`; undefined where fewer are to be walked. */
async function findWindowEnd(
  db: Db,
  { collection, field, hint, isWalked }: RetentionRule,
  before: Date,
  from: AgedPosition | undefined,
): Promise<unknown> {
  const filter = { $and: [isWalked(before), ...behind(field, from && { value: from.value })] };
  const [row] = await openCollection<AgedRow>(db, collection)
    .find(filter as never, { ...RAW, projection: { _id: 0, [field]: 1 } })
    .sort({ [field]: 1 })
    .hint(hint)
    .skip(WINDOW)
    .limit(1)
    .toArray();
  return row?.[field];
}

/** From where the last page ended: what was deleted lies in front for a while, and would have to be passed over each time. */
function behind(field: string, from: AgedPosition | undefined): Record<string, unknown>[] {
  if (from === undefined) return [];
  const { value, left } = from;
  return left === undefined
    ? [{ [field]: { $gt: value } }]
    : [{ [field]: { $gte: value } }, { _id: { $nin: left } }];
}

/** Deletes those of `ids` that are over since the cut-off still; none where the database finds the cut-off too late. Returns how many. */
export async function deleteAgedRows(
  db: Db,
  { collection, isWalked, isOver }: RetentionRule,
  { before, days }: CutOff,
  ids: readonly string[],
): Promise<number> {
  const isLongAgo = { $expr: { $lte: [before, { $subtract: ['$$NOW', days * DAY_MS] }] } };
  const filter = { $and: [{ _id: { $in: [...ids] } }, isWalked(before), isOver(before), isLongAgo] };
  const { deletedCount } = await openCollection<AgedRow>(db, collection).deleteMany(filter, {
    hint: '_id_',
  });
  return deletedCount;
}

/** What became of a row that was to be put back. `conflicting`: another row has a key, a cell or an id that is unique. */
export type Restored = 'restored' | 'present' | 'conflicting' | Error;

/** Inserts the rows as they were; nothing that is there is changed. Returns for each, in their order, what became of it. */
export async function restoreRows(db: Db, collection: string, rows: readonly AgedRow[]): Promise<Restored[]> {
  if (rows.length === 0) return [];
  const errors = await writeEach(
    openCollection<AgedRow>(db, collection),
    rows.map((document) => ({ insertOne: { document } }) as never),
  );
  return errors.map((err) => {
    if (err === undefined) return 'restored';
    if (isDuplicateKey(err, '_id_')) return 'present';
    return isDuplicateKey(err) ? 'conflicting' : err;
  });
}

/** One line of extended JSON, which keeps every type of the database. */
export const toLine = (row: AgedRow): string => EJSON.stringify(row, { relaxed: false });

/** The row of such a line. Throws where it is none. */
export const fromLine = (line: string): AgedRow => EJSON.parse(line, { relaxed: false }) as AgedRow;
