import { grantCollection } from '../../partners/partners.model.ts';
import { findActivePartnerIds } from '../../partners/partners.store.ts';
import type { EntryKind } from '../../platform/cache-entries.store.ts';
import { groupBy } from '../../platform/group-by.ts';
import { leasedCacheOf } from '../../platform/leased-cache.ts';
import { type Db, type ReadOptions, unlessDuplicate } from '../../platform/mongo.ts';
import { NEWEST, newestByDb } from '../../platform/newest-reads.ts';
import { omitUndefined } from '../../platform/objects.ts';
import { beyond, type Page, type Position, toPage } from '../../platform/pagination.ts';
import { NOT_FAILING } from './subscription-health.store.ts';
import { wantsVenue } from './subscription-view.rules.ts';
import { type SubscriptionRow, subscriptionCollection, subscriptionModel } from './subscriptions.model.ts';

/** False if another subscription of the partner has the ordinal. */
export async function insertSubscription(db: Db, subscription: SubscriptionRow): Promise<boolean> {
  return (await unlessDuplicate(subscriptionModel(db).create(subscription))) !== null;
}

/** The fields that tell subscriptions of a partner apart. */
export type DistinctSubscription = Pick<
  SubscriptionRow,
  '_id' | 'ordinal' | 'status' | 'endpointUrl' | 'eventTypes' | 'venueIds'
>;

/** The partner's subscriptions in the newest state, even before it is majority-committed. */
export async function findAllOfPartner(db: Db, partnerId: string): Promise<DistinctSubscription[]> {
  const projection = { ordinal: 1, status: 1, endpointUrl: 1, eventTypes: 1, venueIds: 1 };
  return subscriptionCollection(db)
    .find({ partnerId }, { projection, ...NEWEST })
    .toArray();
}

export async function listSubscriptions(db: Db, partnerId: string): Promise<SubscriptionRow[]> {
  return subscriptionModel(db).find({ partnerId }).sort({ ordinal: 1 }).lean();
}

export async function listAllSubscriptions(
  db: Db,
  filter: { partnerId?: string; status?: SubscriptionRow['status'] },
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

/** Null if there is no such subscription. An activated subscription begins without failures. */
export async function setSubscriptionStatus(
  db: Db,
  subscriptionId: string,
  status: SubscriptionRow['status'],
): Promise<SubscriptionRow | null> {
  const update =
    status === 'active' ? { $set: { status, consecutiveFailures: 0 }, $unset: NOT_FAILING } : { $set: { status } };
  return subscriptionCollection(db).findOneAndUpdate({ _id: subscriptionId }, update, {
    returnDocument: 'after',
  });
}

/** Null if the partner has no such subscription. A new endpoint begins without failures. */
export async function updateSubscription(
  db: Db,
  partnerId: string,
  subscriptionId: string,
  change: Partial<Pick<SubscriptionRow, 'endpointUrl' | 'eventTypes' | 'venueIds'>>,
): Promise<SubscriptionRow | null> {
  const isMoved = { $ne: ['$endpointUrl', { $literal: change.endpointUrl }] };
  const healthReset = {
    consecutiveFailures: { $cond: [isMoved, 0, '$consecutiveFailures'] },
    failingSince: { $cond: [isMoved, '$$REMOVE', '$failingSince'] },
  };
  // Literals, so that the database reads no value as an expression.
  const literals = Object.fromEntries(Object.entries(change).map(([name, value]) => [name, { $literal: value }]));
  return subscriptionCollection(db).findOneAndUpdate(
    { _id: subscriptionId, partnerId },
    [{ $set: { ...(change.endpointUrl === undefined ? {} : healthReset), ...literals } }],
    { returnDocument: 'after' },
  );
}

export async function deleteSubscription(db: Db, partnerId: string, subscriptionId: string): Promise<void> {
  await subscriptionCollection(db).deleteOne({ _id: subscriptionId, partnerId });
}

/** A subscription, with two of its instants converted from the database's clock to `performance.now()`. */
export type FoundSubscription = SubscriptionRow & {
  rotatedAtMs: number | null;
  overlapEndsAtMs: number | null;
};

const CACHED: EntryKind = { collection: 'webhook_subscriptions', stages: [] };

/** A subscription from the cache (ADR 0006); its health may be stale. */
export async function findCachedSubscription(db: Db, subscriptionId: string): Promise<FoundSubscription | null> {
  const entry = await leasedCacheOf(db).read<SubscriptionRow>(CACHED, subscriptionId);
  if (entry === null) return null;
  const { value, at, readAtMs } = entry;
  const monotonic = (instant: Date | null) => (instant === null ? null : instant.getTime() - at.getTime() + readAtMs);
  return {
    ...value,
    rotatedAtMs: monotonic(value.secretRotatedAt),
    overlapEndsAtMs: monotonic(value.previousSecretUntil),
  };
}

/** The newest state of a subscription; concurrent calls share a read, which begins after them. */
export const findSubscription = newestByDb<string, FoundSubscription>(async (db, subscriptionIds, options) => {
  const subscriptions = await findSubscriptions(db, subscriptionIds, options);
  return (subscriptionId) => subscriptions.get(subscriptionId);
});

export async function findSubscriptions(
  db: Db,
  subscriptionIds: readonly string[],
  options: ReadOptions = NEWEST,
): Promise<Map<string, FoundSubscription>> {
  const askedAtMs = performance.now();
  const monotonic = (instant: string) => ({ $add: [{ $subtract: [instant, '$$NOW'] }, askedAtMs] });
  const rows = await subscriptionCollection(db)
    .aggregate<FoundSubscription>(
      [
        { $match: { _id: { $in: [...new Set(subscriptionIds)] } } },
        {
          $set: {
            rotatedAtMs: monotonic('$secretRotatedAt'),
            overlapEndsAtMs: monotonic('$previousSecretUntil'),
          },
        },
      ],
      options,
    )
    .toArray();
  return new Map(rows.map((row) => [row._id, row]));
}

/** An active subscription of an active partner. */
type EventReceiver = Pick<SubscriptionRow, '_id' | 'partnerId' | 'endpointUrl' | 'eventTypes' | 'venueIds'>;

type VenueEvent = { venueId: string; receiverId?: string };

/**
 * The receivers of an event: the subscriptions that ask for the venue, of all partners with a grant or, if the event
 * has a `receiverId`, of that partner only. Includes every subscription acknowledged before the call.
 */
export async function findReceivers(
  db: Db,
  events: readonly VenueEvent[],
): Promise<(event: VenueEvent) => readonly EventReceiver[]> {
  const venueIds = [...new Set(events.map(({ venueId }) => venueId))];
  const grants = await grantCollection(db)
    .find({ venueId: { $in: venueIds } }, { projection: { _id: 0, venueId: 1, partnerId: 1 }, ...NEWEST })
    .toArray();
  const onlyReceivers = events.flatMap(({ venueId, receiverId }) =>
    receiverId === undefined ? [] : [{ venueId, partnerId: receiverId }],
  );
  const partnerIds = [...new Set([...grants, ...onlyReceivers].map(({ partnerId }) => partnerId))];
  // Two concurrent reads: a $lookup for each partner took 6 ms at a venue that 64 partners sell.
  const [subscriptions, activePartnerIds] = await Promise.all([
    subscriptionCollection(db)
      .find<EventReceiver>(
        { partnerId: { $in: partnerIds }, status: 'active' },
        { projection: { partnerId: 1, endpointUrl: 1, eventTypes: 1, venueIds: 1 }, ...NEWEST },
      )
      .toArray(),
    findActivePartnerIds(db, partnerIds),
  ]);
  const byPartner = groupBy(subscriptions, ({ partnerId }) => partnerId);
  const askingFor = ({ venueId, partnerId }: { venueId: string; partnerId: string }) =>
    activePartnerIds.has(partnerId) ? (byPartner.get(partnerId) ?? []).filter((each) => wantsVenue(each, venueId)) : [];
  const byVenue = new Map(
    [...groupBy(grants, ({ venueId }) => venueId)].map(([venueId, granted]) => [venueId, granted.flatMap(askingFor)]),
  );
  return ({ venueId, receiverId }) =>
    receiverId === undefined ? (byVenue.get(venueId) ?? []) : askingFor({ venueId, partnerId: receiverId });
}
