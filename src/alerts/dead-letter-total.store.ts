import type { Db, Tx } from '../platform/mongo.ts';
import { alertStateCollection } from './alerts.model.ts';

/** Adds to the number of dead letters that there have ever been. */
export async function addToTotal(db: Db, count: number, tx: Tx): Promise<void> {
  await alertStateCollection(db).updateOne(
    { _id: 'dead-letters' },
    { $inc: { total: count } },
    { upsert: true, session: tx },
  );
}

/** How many dead letters there have ever been. */
export async function readTotal(db: Db): Promise<number> {
  const row = await alertStateCollection(db).findOne({ _id: 'dead-letters' });
  return row?.total ?? 0;
}
