import { batchedByDb } from '../../platform/batched.ts';
import { updateGuarded } from '../../platform/bulk-writes.ts';
import type { Db } from '../../platform/mongo.ts';
import { IS_FREE, type Series } from './attempts.store.ts';
import { type DeliveryRow, type DeliveryState, deliveryCollection } from './deliveries.model.ts';

export const WAITING: { $in: DeliveryState[] } = { $in: ['pending', 'retrying'] };

const CANCELLED = { state: 'cancelled' as const, nextAttemptAt: null, leaseUntil: null };
/** A suspended partner may have very many deliveries that are due at the same time. */
const MAX_BATCH = 500;

/**
 * Cancels a delivery that its receiver may not (or no longer) receive. A dead letter stays a dead letter, and a series
 * begun since the row was read continues.
 */
export const cancelDelivery = batchedByDb<Series, undefined>(async (db, all) => {
  const updates = all.map(({ _id, generation }) => ({
    filter: { _id, generation, state: WAITING },
    update: { $set: CANCELLED },
  }));
  return (await updateGuarded(deliveryCollection(db), updates)).errors;
}, MAX_BATCH);

/**
 * Cancels the waiting deliveries of a subscription. A worker with an attempt in progress finds it inactive afterwards.
 */
export async function cancelWaiting(db: Db, partnerId: string, subscriptionId: string): Promise<void> {
  await deliveryCollection(db).updateMany(
    { partnerId, subscriptionId, state: WAITING, $expr: IS_FREE },
    { $set: CANCELLED },
  );
}

/**
 * Begins a new series of attempts, numbered from 1, for the deliveries among `ids` that are in one of `states` and have
 * no attempt in progress; the attempts of earlier series stay. Returns how many.
 */
export async function beginSeries(db: Db, ids: readonly string[], states: readonly DeliveryState[]): Promise<number> {
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

export async function makeDue(db: Db, id: string): Promise<DeliveryRow | null> {
  return deliveryCollection(db).findOneAndUpdate({ _id: id, state: WAITING }, [{ $set: { nextAttemptAt: '$$NOW' } }], {
    returnDocument: 'after',
  });
}
