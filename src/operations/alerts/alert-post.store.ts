import { newId } from '../../platform/ids.ts';
import { type Db, isDuplicateKey } from '../../platform/mongo.ts';
import { type AlertRow, alertCollection, alertStateCollection } from './alerts.model.ts';

/** The right to post once; `failures` counts the consecutive failed posts before it. */
export type PostLock = { holder: string; failures: number };

/**
 * Acquires the lock to post for `everyMs`, by the database's clock; null if it is taken. All processes share this lock.
 * It is not released after the post, so it limits the rate of posts.
 */
export async function acquirePostLock(db: Db, everyMs: number): Promise<PostLock | null> {
  const holder = newId();
  const isFree = { $lte: [{ $ifNull: ['$until', new Date(0)] }, '$$NOW'] };
  const ifFree = (value: unknown, field: string) => ({ $cond: [isFree, value, `$${field}`] });
  try {
    const row = await alertStateCollection(db).findOneAndUpdate(
      { _id: 'post' },
      [
        {
          $set: {
            holder: ifFree({ $literal: holder }, 'holder'),
            until: ifFree({ $add: ['$$NOW', everyMs] }, 'until'),
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

/** Allows the next post after `waitMs`. Does nothing if another process has acquired the lock since. */
export async function scheduleNextPost(
  db: Db,
  holder: string,
  { failures, waitMs }: { failures: number; waitMs: number },
): Promise<void> {
  await alertStateCollection(db).updateOne({ _id: 'post', holder }, [
    { $set: { failures, until: { $add: ['$$NOW', waitMs] } } },
  ]);
}

/** The mark of an alert whose latest revision is not posted yet. */
const PENDING = { isUntold: true } as const;

export async function hasPendingNotification(db: Db): Promise<boolean> {
  return (await alertCollection(db).findOne(PENDING, { projection: { _id: 1 } })) !== null;
}

/**
 * Alerts with a pending notification, the longest unposted first, so that an alert that changes often does not delay
 * others. `leftOut` is the number of alerts beyond `limit`.
 */
export async function findPendingNotifications(db: Db, limit: number): Promise<{ rows: AlertRow[]; leftOut: number }> {
  const [rows, count] = await Promise.all([
    // `notifiedAt` is null until the first post, and null sorts before every instant.
    alertCollection(db).find(PENDING).sort({ notifiedAt: 1, raisedAt: 1, _id: 1 }).limit(limit).toArray(),
    alertCollection(db).countDocuments(PENDING),
  ]);
  return { rows, leftOut: Math.max(0, count - rows.length) };
}

/** Drops the pending notifications of alerts that were resolved more than `staleAfterMs` ago. */
export async function dropStaleNotifications(db: Db, staleAfterMs: number): Promise<void> {
  const isStale = { $lte: ['$resolvedAt', { $subtract: ['$$NOW', staleAfterMs] }] };
  await alertCollection(db).updateMany(
    { ...PENDING, resolvedAt: { $ne: null }, $expr: isStale },
    { $unset: { isUntold: '' } },
  );
}

/** Records that `rows` were posted. If a row has changed since it was read, its notification stays pending. */
export async function markNotified(db: Db, rows: readonly AlertRow[]): Promise<void> {
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
