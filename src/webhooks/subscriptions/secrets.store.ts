import { batchedByDb } from '../../platform/batched.ts';
import type { Db } from '../../platform/mongo.ts';
import { type SubscriptionRow, subscriptionCollection } from './subscriptions.model.ts';

const MAX_BATCH = 500;

/** Replaces the secret and keeps the old one for `overlapMs`. Null if the partner has no such subscription. */
export async function replaceSecret(
  db: Db,
  partnerId: string,
  subscriptionId: string,
  sealedSecret: string,
  overlapMs: number,
): Promise<SubscriptionRow | null> {
  const previous =
    overlapMs === 0
      ? { sealedPreviousSecret: null, previousSecretUntil: null }
      : { sealedPreviousSecret: '$sealedSecret', previousSecretUntil: { $add: ['$$NOW', overlapMs] } };
  return subscriptionCollection(db).findOneAndUpdate(
    { _id: subscriptionId, partnerId },
    [{ $set: { ...previous, sealedSecret: { $literal: sealedSecret }, secretRotatedAt: '$$NOW' } }],
    { returnDocument: 'after' },
  );
}

/** Removes previous secrets whose overlap is over, of these subscriptions or, without ids, of all. */
export async function forgetPreviousSecrets(db: Db, subscriptionIds?: readonly string[]): Promise<void> {
  const byId = subscriptionIds === undefined ? {} : { _id: { $in: [...new Set(subscriptionIds)] } };
  await subscriptionCollection(db).updateMany(
    {
      ...byId,
      previousSecretUntil: { $type: 'date' },
      $expr: { $lte: ['$previousSecretUntil', '$$NOW'] },
    },
    { $set: { sealedPreviousSecret: null, previousSecretUntil: null } },
  );
}

/** Removes the previous secret of a subscription if its overlap is over. Concurrent calls share the write. */
export const forgetPreviousSecret = batchedByDb<string, undefined>(async (db, subscriptionIds) => {
  await forgetPreviousSecrets(db, subscriptionIds);
  return subscriptionIds.map(() => undefined);
}, MAX_BATCH);

export type SealedRow = Pick<SubscriptionRow, '_id' | 'partnerId' | 'sealedSecret' | 'sealedPreviousSecret'>;

export function findSealed(db: Db): AsyncIterable<SealedRow> {
  const projection = { partnerId: 1, sealedSecret: 1, sealedPreviousSecret: 1 };
  return subscriptionCollection(db).find({}, { projection });
}

/** Replaces encrypted secrets; false if the row has changed since it was read. */
export async function replaceSealed(
  db: Db,
  { _id, sealedSecret, sealedPreviousSecret }: SealedRow,
  secrets: Pick<SealedRow, 'sealedSecret' | 'sealedPreviousSecret'>,
): Promise<boolean> {
  const unchanged = { _id, sealedSecret, sealedPreviousSecret };
  return (await subscriptionCollection(db).updateOne(unchanged, { $set: secrets })).matchedCount === 1;
}

/** The number of stored secrets by version of their format and id of their encryption key: `v2.0a1b2c3d`. */
export async function countSealings(db: Db): Promise<Map<string, number>> {
  const [version, keyId] = [0, 1].map((at) => ({ $arrayElemAt: [{ $split: ['$sealed', '.'] }, at] }));
  const groups = await subscriptionCollection(db)
    .aggregate<{ _id: string; count: number }>([
      { $project: { sealed: ['$sealedSecret', '$sealedPreviousSecret'] } },
      { $unwind: '$sealed' },
      { $match: { sealed: { $type: 'string' } } },
      { $group: { _id: { $concat: [version, '.', { $ifNull: [keyId, ''] }] }, count: { $sum: 1 } } },
    ])
    .toArray();
  return new Map(groups.map((group) => [group._id, group.count]));
}
