import mongoose from 'mongoose';
import type { RetentionRule } from '../../domain/data-removal.ts';
import { writeEach } from '../../platform/bulk-writes.ts';
import { readDatabaseTime } from '../../platform/clock.ts';
import { type Db, isDuplicateKey, openCollection } from '../../platform/mongo.ts';
import { NEWEST } from '../../platform/newest-reads.ts';

const { EJSON } = mongoose.mongo.BSON;

/** A row with the types of the database, which keep an integer and a double of the same value apart. */
export type AgedRow = Record<string, unknown> & { _id: string };

/**
 * The end of a page: the last value of the rule's field. If rows with that value have to stay (`neededIds`), the
 * next page begins at the value and skips these rows, else it begins after the value. `windowEnd` is the end of the
 * current window.
 */
export type AgedPosition = { value: unknown; neededIds?: readonly string[]; windowEnd?: unknown };

/** A query examines at most this many rows, plus others with the same last value, even if none may be deleted. */
const WINDOW_ROWS = 5000;

/** Rows that ended before `before`, at least `days` days ago by the database's clock, may be deleted. */
export type CutOff = { before: Date; days: number };

const DAY_MS = 86_400_000;

/** The cut-off for rows kept for `days` days, by the database's clock. */
export async function findCutOff(db: Db, days: number): Promise<CutOff> {
  return { before: new Date((await readDatabaseTime(db)).getTime() - days * DAY_MS), days };
}

const RAW = { ...NEWEST, promoteValues: false, promoteLongs: false, promoteBuffers: false };

/**
 * Up to `limit` rows that ended before `before`, oldest first and after `position`, from one window of the index. If
 * there are fewer, continue at `windowEnd`; if that is undefined, no rows follow.
 */
export async function findAgedRows(
  db: Db,
  rule: RetentionRule,
  before: Date,
  position: AgedPosition | undefined,
  limit: number,
): Promise<{ rows: AgedRow[]; windowEnd: unknown }> {
  const { collection, field, hint, isInRange, isDeletable } = rule;
  const windowEnd = position?.windowEnd ?? (await findWindowEnd(db, rule, before, position));
  const within = windowEnd === undefined ? [] : [{ [field]: { $lte: windowEnd } }];
  const filter = { $and: [isInRange(before), ...afterPosition(field, position), ...within, isDeletable(before)] };
  const rows = await openCollection<AgedRow>(db, collection)
    .find(filter as never, RAW)
    .sort({ [field]: 1 })
    .hint(hint)
    .limit(limit)
    .batchSize(limit)
    .toArray();
  return { rows, windowEnd };
}

/** The field's value WINDOW_ROWS rows after `position`; undefined if there are fewer. */
async function findWindowEnd(
  db: Db,
  { collection, field, hint, isInRange }: RetentionRule,
  before: Date,
  position: AgedPosition | undefined,
): Promise<unknown> {
  const filter = { $and: [isInRange(before), ...afterPosition(field, position && { value: position.value })] };
  const [row] = await openCollection<AgedRow>(db, collection)
    .find(filter as never, { ...RAW, projection: { _id: 0, [field]: 1 } })
    .sort({ [field]: 1 })
    .hint(hint)
    .skip(WINDOW_ROWS)
    .limit(1)
    .toArray();
  return row?.[field];
}

/** Filters for rows after the last page, because deleted rows stay in the index for a while and are slow to pass. */
function afterPosition(field: string, position: AgedPosition | undefined): Record<string, unknown>[] {
  if (position === undefined) return [];
  const { value, neededIds } = position;
  return neededIds === undefined
    ? [{ [field]: { $gt: value } }]
    : [{ [field]: { $gte: value } }, { _id: { $nin: neededIds } }];
}

/**
 * Deletes those of the rows `ids` that still ended before the cut-off. Deletes none if, by the database's clock, the
 * cut-off is less than `days` ago.
 */
export async function deleteAgedRows(
  db: Db,
  { collection, isInRange, isDeletable }: RetentionRule,
  { before, days }: CutOff,
  ids: readonly string[],
): Promise<number> {
  const isLongAgo = { $expr: { $lte: [before, { $subtract: ['$$NOW', days * DAY_MS] }] } };
  const filter = { $and: [{ _id: { $in: [...ids] } }, isInRange(before), isDeletable(before), isLongAgo] };
  const { deletedCount } = await openCollection<AgedRow>(db, collection).deleteMany(filter, { hint: '_id_' });
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

/** The row of a line in an archive. @throws if the line is malformed */
export const fromLine = (line: string): AgedRow => EJSON.parse(line, { relaxed: false }) as AgedRow;
