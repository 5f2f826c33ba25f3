import type { Db, Expression } from '../platform/mongo.ts';
import { isDuplicateKey } from '../platform/mongo.ts';
import { confirmAbsence, NEWEST } from '../platform/newest-reads.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import type { Page, Position } from '../platform/pagination.ts';
import { beyond, toPage } from '../platform/pagination.ts';
import type { EventType } from '../reservations/event-types.ts';
import type { SubscriptionRow } from './subscriptions.model.ts';
import { subscriptionCollection, subscriptionModel } from './subscriptions.model.ts';

/** False where another subscription of the partner has the ordinal. */
export async function insertSubscription(db: Db, subscription: SubscriptionRow): Promise<boolean> {
  try {
    await subscriptionModel(db).create(subscription);
    return true;
  } catch (err) {
    if (isDuplicateKey(err)) return false;
    throw err;
  }
}

/** The ordinals that the partner's subscriptions have, those that are about to be committed too. */
export async function findOrdinals(db: Db, partnerId: string): Promise<Set<number>> {
  const rows = await subscriptionCollection(db)
    .find({ partnerId }, { projection: { ordinal: 1 }, ...NEWEST })
    .toArray();
  return new Set(rows.map((row) => row.ordinal));
}

/** The partner's subscriptions, oldest first. */
export async function listSubscriptionRows(db: Db, partnerId: string): Promise<SubscriptionRow[]> {
  return subscriptionModel(db).find({ partnerId }).sort({ ordinal: 1 }).lean();
}

export type SubscriptionFilter = { partnerId?: string; status?: SubscriptionRow['status'] };

/** The subscriptions of a partner, or of all, newest first. */
export async function findSubscriptionPage(
  db: Db,
  filter: SubscriptionFilter,
  after: Position | undefined,
  limit: number,
): Promise<Page<SubscriptionRow>> {
  const rows = await subscriptionCollection(db)
    .find({ ...omitUndefined(filter), ...beyond(after, 'createdAt') } as never)
    .sort({ createdAt: -1, _id: -1 })
    .limit(limit + 1)
    .toArray();
  return toPage(rows, limit, (row) => ({ at: row.createdAt, id: row._id }));
}

const NOT_FAILING = { failingSince: '' } as const;

/** Null where there is no such subscription. An activated one begins with a clean record of failures. */
export async function setSubscriptionStatus(
  db: Db,
  subscriptionId: string,
  status: SubscriptionRow['status'],
): Promise<SubscriptionRow | null> {
  const update =
    status === 'active'
      ? { $set: { status, consecutiveFailures: 0 }, $unset: NOT_FAILING }
      : { $set: { status } };
  return subscriptionCollection(db).findOneAndUpdate({ _id: subscriptionId }, update, {
    returnDocument: 'after',
  });
}

/** Null where the partner has no such subscription. Another address begins with a clean record of failures. */
export async function updateSubscription(
  db: Db,
  partnerId: string,
  subscriptionId: string,
  change: Partial<Pick<SubscriptionRow, 'endpointUrl' | 'eventTypes'>>,
): Promise<SubscriptionRow | null> {
  const moves = { $ne: ['$endpointUrl', { $literal: change.endpointUrl }] };
  const clean = {
    consecutiveFailures: { $cond: [moves, 0, '$consecutiveFailures'] },
    failingSince: { $cond: [moves, '$$REMOVE', '$failingSince'] },
  };
  return subscriptionCollection(db).findOneAndUpdate(
    { _id: subscriptionId, partnerId },
    [{ $set: { ...(change.endpointUrl === undefined ? {} : clean), ...literals(change) } }],
    { returnDocument: 'after' },
  );
}

/** What callers gave, so that nothing of it is read as an expression. */
function literals(fields: Expression): Expression {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { $literal: value }]));
}

export async function findSubscription(db: Db, subscriptionId: string): Promise<SubscriptionRow | null> {
  return confirmAbsence(
    (options) => subscriptionCollection(db).findOne({ _id: subscriptionId }, options),
    NEWEST,
  );
}

/** The subscription with all that was acknowledged, also right after a failover: the newest that the primary has. */
export async function findNewestSubscription(
  db: Db,
  subscriptionId: string,
): Promise<SubscriptionRow | null> {
  return subscriptionModel(db).findById(subscriptionId).readConcern('local').lean();
}

/** The subscriptions of `subscriptionIds` by id. */
export async function findSubscriptions(
  db: Db,
  subscriptionIds: readonly string[],
): Promise<Map<string, SubscriptionRow>> {
  const rows = await subscriptionCollection(db)
    .find({ _id: { $in: [...subscriptionIds] } }, NEWEST)
    .toArray();
  return new Map(rows.map((row) => [row._id, row]));
}

/** Active subscriptions to a type of event, of whatever partner. */
export async function findActiveSubscriptions(
  db: Db,
  type: EventType,
): Promise<Pick<SubscriptionRow, '_id' | 'partnerId'>[]> {
  return subscriptionCollection(db)
    .find({ eventTypes: type, status: 'active' }, { projection: { partnerId: 1 }, ...NEWEST })
    .toArray();
}

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

/** Removes the secret before the last rotation once its overlap is over, by the database's clock. */
export async function forgetPreviousSecret(db: Db, subscriptionId: string): Promise<void> {
  await subscriptionCollection(db).updateOne(
    { _id: subscriptionId, $expr: { $lte: ['$previousSecretUntil', '$$NOW'] } },
    { $set: { sealedPreviousSecret: null, previousSecretUntil: null } },
  );
}

/** Which endpoint was called: where it has another address by now, what came of the call says nothing of it. */
type Called = Pick<SubscriptionRow, '_id' | 'endpointUrl'>;

export async function recordSuccess(db: Db, { _id, endpointUrl }: Called, at: Date): Promise<void> {
  await subscriptionModel(db).updateOne(
    { _id, endpointUrl },
    { $set: { consecutiveFailures: 0, lastSuccessAt: at }, $unset: NOT_FAILING },
  );
}

/**
 * Counts a failed attempt. The first after a success is when the endpoint began to fail; of a row that an older release
 * counted in, the last failure that it knows of stands in for that.
 */
export async function recordFailure(db: Db, { _id, endpointUrl }: Called, at: Date): Promise<void> {
  const began = { $ifNull: ['$failingSince', '$lastFailureAt', at] };
  await subscriptionCollection(db).updateOne({ _id, endpointUrl }, [
    {
      $set: {
        consecutiveFailures: { $add: ['$consecutiveFailures', 1] },
        lastFailureAt: at,
        failingSince: { $cond: [{ $gt: ['$consecutiveFailures', 0] }, began, at] },
      },
    },
  ]);
}

/** What is sealed in a subscription, and what it is bound to. */
export type SealedRow = Pick<SubscriptionRow, '_id' | 'partnerId' | 'sealedSecret' | 'sealedPreviousSecret'>;

/** Subscriptions after `afterId` with a secret that does not begin with `prefix`, which has no special characters but dots, by id. */
export async function findSealedOtherwise(
  db: Db,
  prefix: string,
  afterId: string,
  limit: number,
): Promise<SealedRow[]> {
  const other = { $type: 'string' as const, $not: new RegExp(`^${prefix.replaceAll('.', '\\.')}`) };
  return subscriptionCollection(db)
    .find({
      _id: { $gt: afterId },
      $or: [{ sealedSecret: other }, { sealedPreviousSecret: other }],
    })
    .sort({ _id: 1 })
    .limit(limit)
    .toArray();
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

/** Removes every secret whose overlap is over, by the database's clock. */
export async function forgetPreviousSecrets(db: Db): Promise<void> {
  await subscriptionCollection(db).updateMany(
    { previousSecretUntil: { $type: 'date' }, $expr: { $lte: ['$previousSecretUntil', '$$NOW'] } },
    { $set: { sealedPreviousSecret: null, previousSecretUntil: null } },
  );
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
