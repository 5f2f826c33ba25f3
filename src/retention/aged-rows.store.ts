import mongoose from 'mongoose';
import type { RetentionRule } from '../domain/retention.ts';
import { writeEach } from '../platform/bulk-writes.ts';
import type { Db } from '../platform/mongo.ts';
import { isDuplicateKey, openCollection } from '../platform/mongo.ts';
import { NEWEST } from '../platform/newest-reads.ts';

const { EJSON } = mongoose.mongo.BSON;

/** A row with the types that it has in the database: an integer and a double of one value stay two things. */
export type AgedRow = Record<string, unknown> & { _id: string };

/** The end of a page: the last value of the rule's field, and the ids of what was left there of that value. */
export type AgedPosition = { value: unknown; left: readonly string[] };

/** Up to `limit` rows that are over since `before`, oldest first and after `from`. */
export async function findAgedRows(
  db: Db,
  { collection, field, hint, isOver }: RetentionRule,
  before: Date,
  from: AgedPosition | undefined,
  limit: number,
): Promise<AgedRow[]> {
  // From where the last page ended: what was deleted lies in front for a while, and would have to be passed over each time.
  const after = from === undefined ? [] : [{ [field]: { $gte: from.value } }, { _id: { $nin: from.left } }];
  return openCollection<AgedRow>(db, collection)
    .find({ $and: [isOver(before), ...after] } as never, {
      ...NEWEST,
      promoteValues: false,
      promoteLongs: false,
      promoteBuffers: false,
    })
    .sort({ [field]: 1 })
    .hint(hint)
    .limit(limit)
    .batchSize(limit)
    .toArray();
}

/** Deletes those of `ids` that are over since `before` still; returns how many. */
export async function deleteAgedRows(
  db: Db,
  { collection, isOver }: RetentionRule,
  before: Date,
  ids: readonly string[],
): Promise<number> {
  const filter = { $and: [{ _id: { $in: [...ids] } }, isOver(before)] };
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
