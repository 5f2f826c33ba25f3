import type { Db, Tx } from '../../platform/mongo.ts';
import { alertStateCollection } from './alerts.model.ts';

export async function addToDeadLetterTotal(db: Db, count: number, tx: Tx): Promise<void> {
  await alertStateCollection(db).updateOne(
    { _id: 'dead-letters' },
    { $inc: { total: count } },
    { upsert: true, session: tx },
  );
}

export async function readDeadLetterTotal(db: Db): Promise<number> {
  const row = await alertStateCollection(db).findOne({ _id: 'dead-letters' });
  return row?.total ?? 0;
}

const LISTENERS = ['partner', 'admin'] as const;
export type Listener = (typeof LISTENERS)[number];

const THIS_MINUTE = { $dateTrunc: { date: '$$NOW', unit: 'minute' } };
const LAST_MINUTE = { $subtract: [THIS_MINUTE, 60_000] };

/** Counts wrong keys sent to the listener, by the minute of the database's clock. */
export async function addWrongKeys(db: Db, listener: Listener, count: number): Promise<void> {
  const isThisMinute = { $eq: ['$minute', THIS_MINUTE] };
  const isLastMinute = { $eq: ['$minute', LAST_MINUTE] };
  await alertStateCollection(db).updateOne(
    { _id: `wrong-keys:${listener}` },
    [
      {
        $set: {
          minute: THIS_MINUTE,
          count: { $cond: [isThisMinute, { $add: ['$count', count] }, count] },
          previous: { $cond: [isThisMinute, '$previous', { $cond: [isLastMinute, '$count', 0] }] },
        },
      },
    ],
    { upsert: true },
  );
}

/** The listeners whose wrong keys of this minute and the one before together reach their threshold. */
export async function readWrongKeys(
  db: Db,
  thresholds: Record<Listener, number>,
): Promise<{ listener: Listener; count: number }[]> {
  const rows = await alertStateCollection(db)
    .aggregate<{ _id: string; count: number }>([
      { $match: { _id: { $in: LISTENERS.map((listener) => `wrong-keys:${listener}`) } } },
      { $match: { $expr: { $gte: ['$minute', LAST_MINUTE] } } },
      { $set: { count: { $add: ['$count', { $cond: [{ $eq: ['$minute', THIS_MINUTE] }, '$previous', 0] }] } } },
    ])
    .toArray();
  return LISTENERS.flatMap((listener) => {
    const { count = 0 } = rows.find(({ _id }) => _id === `wrong-keys:${listener}`) ?? {};
    return count >= thresholds[listener] ? [{ listener, count }] : [];
  });
}
