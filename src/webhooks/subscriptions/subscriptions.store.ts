import { findActivePartnerIds } from '../../partners/partners.store.ts';
import { groupBy } from '../../platform/group-by.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import type { Db, Expression, ReadOptions } from '../../platform/mongo.ts';
import { isDuplicateKey, openCollection } from '../../platform/mongo.ts';
import { NEWEST, newestOf } from '../../platform/newest-reads.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import type { Page, Position } from '../../platform/pagination.ts';
import { beyond, toPage } from '../../platform/pagination.ts';
import { NOT_FAILING } from './subscription-health.store.ts';
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

/** A subscription as far as others of its partner have to differ from it. */
export type DistinctSubscription = Pick<
  SubscriptionRow,
  '_id' | 'ordinal' | 'status' | 'endpointUrl' | 'eventTypes'
>;

/** The partner's subscriptions, those that are about to be committed too. */
export async function findNewestOfPartner(db: Db, partnerId: string): Promise<DistinctSubscription[]> {
  const projection = { ordinal: 1, status: 1, endpointUrl: 1, eventTypes: 1 };
  return subscriptionCollection(db)
    .find({ partnerId }, { projection, ...NEWEST })
    .toArray();
}

/** The partner's subscriptions, oldest first. */
export async function listSubscriptions(db: Db, partnerId: string): Promise<SubscriptionRow[]> {
  return subscriptionModel(db).find({ partnerId }).sort({ ordinal: 1 }).lean();
}

export type SubscriptionFilter = { partnerId?: string; status?: SubscriptionRow['status'] };

/** The subscriptions of a partner, or of all, newest first. */
export async function listAllSubscriptions(
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

/** A subscription, and what of it depends on the time: by the database's clock, as instants of `performance.now()`. */
export type FoundSubscription = SubscriptionRow & {
  rotatedAtMs: number | null;
  overlapEndsAtMs: number | null;
};

/** A subscription by its id; those that are asked for at the same time share a read, which began after each call. */
export async function findSubscription(db: Db, subscriptionId: string): Promise<FoundSubscription | null> {
  return newestSubscription(db)(subscriptionId);
}

const newestSubscription = memoizeByObject((db: Db) =>
  newestOf<string, FoundSubscription>(async (subscriptionIds, options) => {
    const subscriptions = await findSubscriptions(db, subscriptionIds, options);
    return (subscriptionId) => subscriptions.get(subscriptionId);
  }),
);

/** The subscriptions of `subscriptionIds` by id. */
export async function findSubscriptions(
  db: Db,
  subscriptionIds: readonly string[],
  options: ReadOptions = NEWEST,
): Promise<Map<string, FoundSubscription>> {
  const askedAtMs = performance.now();
  const untilMs = (instant: string) => ({ $add: [{ $subtract: [instant, '$$NOW'] }, askedAtMs] });
  const rows = await subscriptionCollection(db)
    .aggregate<FoundSubscription>(
      [
        { $match: { _id: { $in: [...new Set(subscriptionIds)] } } },
        {
          $set: {
            rotatedAtMs: untilMs('$secretRotatedAt'),
            overlapEndsAtMs: untilMs('$previousSecretUntil'),
          },
        },
      ],
      options,
    )
    .toArray();
  return new Map(rows.map((row) => [row._id, row]));
}

/** An active subscription of an active partner that has a grant for the venue. */
export type VenueReceiver = Pick<SubscriptionRow, '_id' | 'partnerId' | 'eventTypes'>;

/**
 * Those who can receive the events of each of these venues, by its id: of the newest state that the primary has, so that no subscription
 * is missing that was acknowledged before the call.
 */
export async function findReceivers(
  db: Db,
  venueIds: readonly string[],
): Promise<Map<string, VenueReceiver[]>> {
  const grants = await openCollection<{ venueId: string; partnerId: string }>(db, 'grants')
    .find(
      { venueId: { $in: [...venueIds] } },
      { projection: { _id: 0, venueId: 1, partnerId: 1 }, ...NEWEST },
    )
    .toArray();
  const partnerIds = [...new Set(grants.map(({ partnerId }) => partnerId))];
  // Two reads beside each other: a $lookup of each partner took 6 ms at a venue that 64 of them sell.
  const [subscriptions, active] = await Promise.all([
    subscriptionCollection(db)
      .find<VenueReceiver>(
        { partnerId: { $in: partnerIds }, status: 'active' },
        { projection: { partnerId: 1, eventTypes: 1 }, ...NEWEST },
      )
      .toArray(),
    findActivePartnerIds(db, partnerIds),
  ]);
  const ofPartner = groupBy(subscriptions, ({ partnerId }) => partnerId);
  const receivers = new Map(venueIds.map((venueId): [string, VenueReceiver[]] => [venueId, []]));
  for (const { venueId, partnerId } of grants)
    if (active.has(partnerId)) receivers.get(venueId)?.push(...(ofPartner.get(partnerId) ?? []));
  return receivers;
}
