import { newId } from '../platform/ids.ts';
import type { Db } from '../platform/mongo.ts';
import { isDuplicateKey } from '../platform/mongo.ts';
import type { AlertRow } from './alert-types.ts';
import { alertCollection, alertStateCollection } from './alerts.model.ts';

/** The right to post once; `failures` is how many posts in a row have failed before. */
export type Turn = { holder: string; failures: number };

/**
 * Takes the turn to post where nobody has had it for as long as it was to be kept, and keeps it for `everyMs` by the
 * database's clock: over all processes, and across their ends. Null where it is not to be had.
 */
export async function takeTurn(db: Db, everyMs: number): Promise<Turn | null> {
  const holder = newId();
  const isFree = { $lte: [{ $ifNull: ['$until', new Date(0)] }, '$$NOW'] };
  const orKeep = (value: unknown, field: string) => ({ $cond: [isFree, value, `$${field}`] });
  try {
    const row = await alertStateCollection(db).findOneAndUpdate(
      { _id: 'post' },
      [
        {
          $set: {
            holder: orKeep({ $literal: holder }, 'holder'),
            until: orKeep({ $add: ['$$NOW', everyMs] }, 'until'),
            failures: { $ifNull: ['$failures', 0] },
          },
        },
      ],
      { upsert: true, returnDocument: 'after' },
    );
    return row?.holder === holder ? { holder, failures: row.failures ?? 0 } : null;
  } catch (err) {
    if (isDuplicateKey(err)) return null;
    throw err;
  }
}

/** Ends a turn: the next is to be had after `waitMs`. Without effect where somebody else has had it since. */
export async function endTurn(
  db: Db,
  holder: string,
  { failures, waitMs }: { failures: number; waitMs: number },
): Promise<void> {
  await alertStateCollection(db).updateOne({ _id: 'post', holder }, [
    { $set: { failures, until: { $add: ['$$NOW', waitMs] } } },
  ]);
}

/** Whether there is anything to tell. */
export async function hasUntold(db: Db): Promise<boolean> {
  return (await alertCollection(db).findOne({ isUntold: true }, { projection: { _id: 1 } })) !== null;
}

/**
 * Alerts of which the latest has not been told: first those that never were, then those told longest ago, so that however often
 * some change, every one has its turn. `leftOut` is how many there are beyond `limit`.
 */
export async function findUntold(db: Db, limit: number): Promise<{ rows: AlertRow[]; leftOut: number }> {
  const untold = { isUntold: true } as const;
  const [rows, count] = await Promise.all([
    // What was never told has null here, which comes before every instant.
    alertCollection(db).find(untold).sort({ notifiedAt: 1, raisedAt: 1, _id: 1 }).limit(limit).toArray(),
    alertCollection(db).countDocuments(untold),
  ]);
  return { rows, leftOut: Math.max(0, count - rows.length) };
}

/** Drops what nobody needs to hear any more: what has been over for `forMs`. */
export async function forgetUntold(db: Db, forMs: number): Promise<void> {
  const isLongOver = { $lte: ['$resolvedAt', { $subtract: ['$$NOW', forMs] }] };
  await alertCollection(db).updateMany(
    { isUntold: true, resolvedAt: { $ne: null }, $expr: isLongOver },
    { $unset: { isUntold: '' } },
  );
}

/** Notes that `rows` were told as they were read; what has become of one since is still to be told. */
export async function markTold(db: Db, rows: readonly AlertRow[]): Promise<void> {
  await alertCollection(db).bulkWrite(
    rows.map(({ _id, revision, count }) => ({
      updateOne: {
        filter: { _id },
        update: [
          {
            $set: {
              notifiedAt: '$$NOW',
              toldCount: count,
              isUntold: { $cond: [{ $eq: ['$revision', revision] }, '$$REMOVE', true] },
            },
          },
        ],
      },
    })),
    { ordered: false },
  );
}
