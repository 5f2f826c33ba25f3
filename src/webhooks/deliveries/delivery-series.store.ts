import { batched } from '../../platform/batched.ts';
import { updateGuarded } from '../../platform/bulk-writes.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import type { Db } from '../../platform/mongo.ts';
import type { Series } from './attempts.store.ts';
import { IS_FREE } from './attempts.store.ts';
import type { DeliveryRow, DeliveryState } from './deliveries.model.ts';
import { deliveryCollection } from './deliveries.model.ts';

/** The states in which a delivery waits for an attempt. */
export const WAITING: { $in: DeliveryState[] } = { $in: ['pending', 'retrying'] };

const MAX_BATCH = 500;
const CANCELLED = { state: 'cancelled' as const, nextAttemptAt: null, leaseUntil: null };

/**
 * Ends a delivery whose receiver may not have it (any more); nothing more is sent. A dead letter stays one, and a series begun
 * since the row was read goes on.
 */
export async function cancelDelivery(db: Db, series: Series): Promise<void> {
  await cancelTogether(db)(series);
}

/** A suspended partner may have very many that are due at once. */
const cancelTogether = memoizeByObject((db: Db) =>
  batched<Series, undefined>(async (all) => {
    const { errors } = await updateGuarded(
      deliveryCollection(db),
      all.map(({ _id, generation }) => ({
        filter: { _id, generation, state: WAITING },
        update: { $set: CANCELLED },
      })),
    );
    return errors;
  }, MAX_BATCH),
);

/**
 * Ends what waits to be sent to a partner's subscription. What is just being sent is left to its worker, which finds the
 * subscription inactive when it comes again.
 */
export async function cancelWaiting(db: Db, partnerId: string, subscriptionId: string): Promise<void> {
  await deliveryCollection(db).updateMany(
    { partnerId, subscriptionId, state: WAITING, $expr: IS_FREE },
    { $set: CANCELLED },
  );
}

/**
 * Begins a new series of attempts, numbered from 1, for those of `ids` that are in one of `states` and on which nobody is at
 * work; the attempts of earlier series stay. Returns how many that were.
 */
export async function restartDeliveries(
  db: Db,
  ids: readonly string[],
  states: readonly DeliveryState[],
): Promise<number> {
  const { modifiedCount } = await deliveryCollection(db).updateMany(
    { _id: { $in: [...ids] }, state: { $in: [...states] }, $expr: IS_FREE },
    [
      {
        $set: {
          state: 'pending',
          generation: { $add: ['$generation', 1] },
          attemptsMade: 0,
          nextAttemptAt: '$$NOW',
          leaseUntil: null,
          deadLetteredAt: null,
          discardedAt: '$$REMOVE',
          discardReason: '$$REMOVE',
          alertPending: '$$REMOVE',
        },
      },
    ],
  );
  return modifiedCount;
}

/** Makes the next attempt of a waiting delivery due now. Null where the delivery is not waiting for one. */
export async function makeDue(db: Db, id: string): Promise<DeliveryRow | null> {
  return deliveryCollection(db).findOneAndUpdate(
    { _id: id, state: WAITING },
    [{ $set: { nextAttemptAt: '$$NOW' } }],
    { returnDocument: 'after' },
  );
}
