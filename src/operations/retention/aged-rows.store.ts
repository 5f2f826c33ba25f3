import mongoose from 'mongoose';
import type { RetentionRule } from '../../domain/retention.ts';
import { writeEach } from '../../platform/bulk-writes.ts';
import { readDatabaseTime } from '../../platform/clock.ts';
import { type Db, isDuplicateKey, openCollection } from '../../platform/mongo.ts';
import { NEWEST } from '../../platform/newest-reads.ts';

const { EJSON } = mongoose.mongo.BSON;

/** A row with the types of the database, which keep an integer and a double of the same value apart. */
export type AgedRow = Record<string, unknown> & { _id: string };

/**
 * The end of a page: a value of the rule's field, and the ids of rows with that value that must stay. Without ids, no
 * row with that value is read again. `windowEnd` is the end of the current window.
 */
export type AgedPosition = { value: unknown; left?: readonly string[]; windowEnd?: unknown };

/** A query examines this many rows, plus those with the last value; all of them may have to stay. */
const WINDOW = 5000;

/** Rows that ended before `before`, at least `days` days ago by the database's clock, may be deleted. */
export type CutOff = { before: Date; days: number };

const DAY_MS = 86_400_000;

/** The cut-off for rows kept for `days` days, by the database's clock. */
export async function findCutOff(db: Db, days: number): Promise<CutOff> {
  return { before: new Date((await readDatabaseTime(db)).getTime() - days * DAY_MS), days };
}

const RAW = { ...NEWEST, promoteValues: false, promoteLongs: false, promoteBuffers: false };

/**
 * Up to `limit` rows that ended before `before`, oldest first and after `from`, from one window of the index. If there
 * are fewer, continue at `windowEnd`; undefined means that nothing follows.
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

/** The field's value WINDOW rows after `from`; undefined if there are fewer. */
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

/** Starts at the end of the last page: deleted rows stay in the index for a while, and reading past them takes time. */
function behind(field: string, from: AgedPosition | undefined): Record<string, unknown>[] {
  if (from === undefined) return [];
  const { value, left } = from;
  return left === undefined ? [{ [field]: { $gt: value } }] : [{ [field]: { $gte: value } }, { _id: { $nin: left } }];
}

/**
 * Deletes the rows `ids` that still ended before the cut-off; none if the database's clock makes the cut-off too late.
 */
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

/** The result of restoring a row. `conflicting`: another row has one of its unique values. */
export type Restored = 'restored' | 'present' | 'conflicting' | Error;

/** Inserts the rows as they were, without changing existing ones. Returns the result for each, in order. */
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

export const toLine = (row: AgedRow): string => EJSON.stringify(row, { relaxed: false });

/** The row of a line in an archive; throws if malformed. */
export const fromLine = (line: string): AgedRow => EJSON.parse(line, { relaxed: false }) as AgedRow;
