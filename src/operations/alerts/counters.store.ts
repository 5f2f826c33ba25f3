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
  const isThis = { $eq: ['$minute', THIS_MINUTE] };
  const isLast = { $eq: ['$minute', LAST_MINUTE] };
  await alertStateCollection(db).updateOne(
    { _id: `wrong-keys:${listener}` },
    [
      {
        $set: {
          minute: THIS_MINUTE,
          count: { $cond: [isThis, { $add: ['$count', count] }, count] },
          previous: { $cond: [isThis, '$previous', { $cond: [isLast, '$count', 0] }] },
        },
      },
    ],
    { upsert: true },
  );
}

/** The listeners with at least `atLeast` wrong keys in this minute and the one before. */
export async function readWrongKeys(
  db: Db,
  atLeast: Record<Listener, number>,
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
    return count >= atLeast[listener] ? [{ listener, count }] : [];
  });
}
