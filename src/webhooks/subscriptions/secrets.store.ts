import { batched } from '../../platform/batched.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import type { Db } from '../../platform/mongo.ts';
import type { SubscriptionRow } from './subscriptions.model.ts';
import { subscriptionCollection } from './subscriptions.model.ts';

const MAX_BATCH = 500;

/** Replaces the secret; the old one stays beside it for `overlapMs`; at 0 it is forgotten at once. */
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

/** Removes every secret, or those of the subscriptions named, whose overlap is over, by the database's clock. */
export async function forgetPreviousSecrets(db: Db, subscriptionIds?: readonly string[]): Promise<void> {
  const ofThese = subscriptionIds === undefined ? {} : { _id: { $in: [...new Set(subscriptionIds)] } };
  await subscriptionCollection(db).updateMany(
    {
      ...ofThese,
      previousSecretUntil: { $type: 'date' },
      $expr: { $lte: ['$previousSecretUntil', '$$NOW'] },
    },
    { $set: { sealedPreviousSecret: null, previousSecretUntil: null } },
  );
}

/** Removes the secret before the last rotation once its overlap is over. Concurrent attempts share the write. */
export const forgetPreviousSecret = (db: Db, subscriptionId: string): Promise<undefined> =>
  forgetTogether(db)(subscriptionId);

const forgetTogether = memoizeByObject((db: Db) =>
  batched<string, undefined>(async (subscriptionIds) => {
    await forgetPreviousSecrets(db, subscriptionIds);
    return subscriptionIds.map(() => undefined);
  }, MAX_BATCH),
);

/** What is sealed in a subscription, and what it is bound to. */
export type SealedRow = Pick<SubscriptionRow, '_id' | 'partnerId' | 'sealedSecret' | 'sealedPreviousSecret'>;

/** What is sealed in each subscription. */
export function findSealed(db: Db): AsyncIterable<SealedRow> {
  const projection = { partnerId: 1, sealedSecret: 1, sealedPreviousSecret: 1 };
  return subscriptionCollection(db).find({}, { projection });
}

/** Replaces what is sealed, only where that is still what was `read`; true where it was. A rotation in between wins. */
export async function replaceSealed(
  db: Db,
  { _id, sealedSecret, sealedPreviousSecret }: SealedRow,
  set: Pick<SealedRow, 'sealedSecret' | 'sealedPreviousSecret'>,
): Promise<boolean> {
  const read = { _id, sealedSecret, sealedPreviousSecret };
  return (await subscriptionCollection(db).updateOne(read, { $set: set })).matchedCount === 1;
}

/** How many secrets begin alike up to their last dot: version and key id, `v2.0a1b2c3d`. */
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
