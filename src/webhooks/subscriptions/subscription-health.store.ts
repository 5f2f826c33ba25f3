import { batched } from '../../platform/batched.ts';
import type { GuardedUpdate } from '../../platform/bulk-writes.ts';
import { updateGuarded } from '../../platform/bulk-writes.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import type { Db } from '../../platform/mongo.ts';
import { UNHEALTHY_AFTER_FAILURES } from '../sender/endpoint-health.rules.ts';
import type { SubscriptionRow } from './subscriptions.model.ts';
import { subscriptionCollection } from './subscriptions.model.ts';

const MAX_TIME_MS = 5000;

export const NOT_FAILING = { failingSince: '' } as const;

/** Which endpoint was called: where it has another address by now, what came of the call says nothing of it. */
type Called = Pick<SubscriptionRow, '_id' | 'endpointUrl'>;

const MAX_BATCH = 500;

/** Writes in one bulk with what comes of other attempts at the same time, in the order of the calls. */
const writeHealth = memoizeByObject((db: Db) =>
  batched<GuardedUpdate, undefined>(async (updates) => {
    const { errors } = await updateGuarded(subscriptionCollection(db), updates);
    return errors;
  }, MAX_BATCH),
);

export async function recordSuccess(db: Db, { _id, endpointUrl }: Called): Promise<void> {
  await writeHealth(db)({
    filter: { _id, endpointUrl },
    update: {
      $set: { consecutiveFailures: 0 },
      $currentDate: { lastSuccessAt: true },
      $unset: NOT_FAILING,
    },
  });
}

/**
 * Counts a failed attempt. The first after a success is when the endpoint began to fail; of a row that an older release
 * counted in, the last failure that it knows of stands in for that.
 */
export async function recordFailure(db: Db, { _id, endpointUrl }: Called): Promise<void> {
  const began = { $ifNull: ['$failingSince', '$lastFailureAt', '$$NOW'] };
  const failure = {
    consecutiveFailures: { $add: ['$consecutiveFailures', 1] },
    lastFailureAt: '$$NOW',
    failingSince: { $cond: [{ $gt: ['$consecutiveFailures', 0] }, began, '$$NOW'] },
  };
  await writeHealth(db)({ filter: { _id, endpointUrl }, update: [{ $set: failure }] });
}

export type FailingSubscription = Pick<SubscriptionRow, '_id' | 'partnerId' | 'consecutiveFailures'> & {
  failingSince: Date;
};

/** Active subscriptions that have been failing for at least `forMs`, longest first. Rejects where that takes more than 5 s. */
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

/**
 * How many active subscriptions are unhealthy, up to 10,000. Reads the failing ones alone, by their index. Rejects where that takes
 * more than 5 s.
 */
export async function countUnhealthy(db: Db): Promise<number> {
  const options = { hint: 'failing_subscriptions', limit: MAX_UNHEALTHY, maxTimeMS: MAX_TIME_MS };
  return subscriptionCollection(db).countDocuments({ ...UNHEALTHY, status: 'active' }, options);
}

/** Ids of the unhealthy subscriptions, up to 10,000. Rejects where that takes more than 5 s. */
export async function findUnhealthyIds(db: Db): Promise<string[]> {
  const rows = await subscriptionCollection(db)
    .find(UNHEALTHY, { projection: { _id: 1 }, limit: MAX_UNHEALTHY, maxTimeMS: MAX_TIME_MS })
    .toArray();
  return rows.map(({ _id }) => _id);
}
