import { batchedByDb } from '../../platform/batched.ts';
import { type GuardedUpdate, updateGuarded } from '../../platform/bulk-writes.ts';
import type { Db } from '../../platform/mongo.ts';
import { UNHEALTHY_AFTER_FAILURES } from '../sender/endpoint-health.rules.ts';
import { type SubscriptionRow, subscriptionCollection } from './subscriptions.model.ts';

const MAX_TIME_MS = 5000;

/** For `$unset`: removes the mark of a failing endpoint. */
export const NOT_FAILING = { failingSince: '' } as const;

/** The endpoint that was called: the result says nothing about a newer endpoint of the subscription. */
type CalledEndpoint = Pick<SubscriptionRow, '_id' | 'endpointUrl'>;

const MAX_BATCH = 500;

/** Concurrent calls share one bulk write. */
const writeHealth = batchedByDb<GuardedUpdate, undefined>(
  async (db, updates) => (await updateGuarded(subscriptionCollection(db), updates)).errors,
  MAX_BATCH,
);

export async function recordSuccess(db: Db, { _id, endpointUrl }: CalledEndpoint): Promise<void> {
  await writeHealth(db, {
    filter: { _id, endpointUrl },
    update: {
      $set: { consecutiveFailures: 0 },
      $currentDate: { lastSuccessAt: true },
      $unset: NOT_FAILING,
    },
  });
}

/** Rows of older releases have no `failingSince`: their last recorded failure counts as the first. */
export async function recordFailure(db: Db, { _id, endpointUrl }: CalledEndpoint): Promise<void> {
  const knownStart = { $ifNull: ['$failingSince', '$lastFailureAt', '$$NOW'] };
  const failure = {
    consecutiveFailures: { $add: ['$consecutiveFailures', 1] },
    lastFailureAt: '$$NOW',
    failingSince: { $cond: [{ $gt: ['$consecutiveFailures', 0] }, knownStart, '$$NOW'] },
  };
  await writeHealth(db, { filter: { _id, endpointUrl }, update: [{ $set: failure }] });
}

type FailingSubscription = Pick<SubscriptionRow, '_id' | 'partnerId' | 'consecutiveFailures'> & {
  failingSince: Date;
};

export async function findFailing(db: Db, forMs: number, limit: number): Promise<FailingSubscription[]> {
  return subscriptionCollection(db)
    .aggregate<FailingSubscription>(
      [
        {
          $match: {
            failingSince: { $exists: true },
            status: 'active',
            $expr: { $lte: ['$failingSince', { $subtract: ['$$NOW', forMs] }] },
          },
        },
        { $sort: { failingSince: 1 } },
        { $limit: limit },
        { $project: { partnerId: 1, consecutiveFailures: 1, failingSince: 1 } },
      ],
      { maxTimeMS: MAX_TIME_MS },
    )
    .toArray();
}

const MAX_UNHEALTHY = 10_000;
const UNHEALTHY = {
  failingSince: { $exists: true },
  consecutiveFailures: { $gte: UNHEALTHY_AFTER_FAILURES },
};

/** How many active subscriptions are unhealthy, up to 10,000. Rejects after 5 s. */
export async function countUnhealthy(db: Db): Promise<number> {
  const options = { hint: 'failing_subscriptions', limit: MAX_UNHEALTHY, maxTimeMS: MAX_TIME_MS };
  return subscriptionCollection(db).countDocuments({ ...UNHEALTHY, status: 'active' }, options);
}

export async function findUnhealthyIds(db: Db): Promise<string[]> {
  const rows = await subscriptionCollection(db)
    .find(UNHEALTHY, { projection: { _id: 1 }, limit: MAX_UNHEALTHY, maxTimeMS: MAX_TIME_MS })
    .toArray();
  return rows.map(({ _id }) => _id);
}
