import { batchedByDb } from '../../platform/batched.ts';
import { updateGuarded } from '../../platform/bulk-writes.ts';
import type { Db } from '../../platform/mongo.ts';
import { omitUndefined } from '../../platform/objects.ts';
import { beyondAscending } from '../../platform/pagination.ts';
import { INTERRUPT_UNSETTLED, IS_FREE, type Series } from './attempts.store.ts';
import { DELIVERY_STATES, type DeliveryRow, type DeliveryState, deliveryCollection } from './deliveries.model.ts';

/** Excludes `pending`: a new series of attempts has already begun. */
export const REDELIVERABLE: readonly DeliveryState[] = DELIVERY_STATES.filter((state) => state !== 'pending');

export const WAITING: { $in: DeliveryState[] } = { $in: ['pending', 'retrying'] };

const CANCELLED = { state: 'cancelled' as const, nextAttemptAt: null, leaseUntil: null };
/** A suspended partner may have very many deliveries that are due at the same time. */
const MAX_BATCH = 500;

/**
 * Cancels a delivery that its receiver may not (or no longer) receive. A dead letter stays a dead letter. If a new
 * series has begun since the row was read, it continues.
 */
export const cancelDelivery = batchedByDb<Series, undefined>(async (db, series) => {
  const updates = series.map(({ _id, generation }) => ({
    filter: { _id, generation, state: WAITING },
    update: { $set: CANCELLED },
  }));
  return (await updateGuarded(deliveryCollection(db), updates)).errors;
}, MAX_BATCH);

/** Cancels a subscription's waiting deliveries. A worker that is sending finds the subscription inactive. */
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

/** Dead letters without an alert, because the worker died first. */
export async function findUnraisedDeadLetters(db: Db, graceMs: number, limit: number): Promise<DeliveryRow[]> {
  return deliveryCollection(db)
    .aggregate<DeliveryRow>([
      {
        $match: {
          alertPending: true,
          state: 'dead_letter',
          $expr: { $lte: ['$deadLetteredAt', { $subtract: ['$$NOW', graceMs] }] },
        },
      },
      { $limit: limit },
    ])
    .toArray();
}

export async function markRaised(db: Db, id: string): Promise<void> {
  await deliveryCollection(db).updateOne({ _id: id }, { $unset: { alertPending: '' } });
}

export async function findDeadLettersAmong(db: Db, ids: readonly string[]): Promise<string[]> {
  return deliveryCollection(db).distinct('_id', { _id: { $in: [...ids] }, state: 'dead_letter' });
}

/** The latest dead letters, with their attempts but without receivers' responses. */
export async function findLatestDeadLetters(db: Db, limit: number): Promise<DeliveryRow[]> {
  return deliveryCollection(db)
    .find({ state: 'dead_letter' }, { projection: { 'attempts.responseExcerpt': 0 } })
    .sort({ deadLetteredAt: -1 })
    .limit(limit)
    .toArray();
}

export type DeadLetterFilter = { subscriptionId?: string; eventType?: string; from?: Date; to: Date };

export type DeadLetter = Pick<DeliveryRow, '_id' | 'eventId' | 'subscriptionId' | 'partnerId' | 'deadLetteredAt'>;

export async function findDeadLetters(
  db: Db,
  { from, to, ...filter }: DeadLetterFilter,
  last: Pick<DeliveryRow, '_id' | 'deadLetteredAt'> | undefined,
  limit: number,
): Promise<DeadLetter[]> {
  const after = last?.deadLetteredAt ? { at: last.deadLetteredAt, id: last._id } : undefined;
  return deliveryCollection(db)
    .find(
      {
        ...omitUndefined(filter),
        state: 'dead_letter',
        deadLetteredAt: { $lte: to, ...omitUndefined({ $gte: from }) },
        ...beyondAscending(after, 'deadLetteredAt'),
      } as never,
      { projection: { eventId: 1, subscriptionId: 1, partnerId: 1, deadLetteredAt: 1 } },
    )
    .sort({ deadLetteredAt: 1, _id: 1 })
    .limit(limit)
    .toArray();
}

/**
 * Discards the dead letters among `ids` that have no attempt in progress; returns how many. An attempt with an expired
 * lock is marked interrupted, so that its worker can change nothing later.
 */
export async function markDiscarded(db: Db, ids: readonly string[], reason: string): Promise<number> {
  const { modifiedCount } = await deliveryCollection(db).updateMany(
    { _id: { $in: [...ids] }, state: 'dead_letter', $expr: IS_FREE },
    [
      {
        $set: {
          state: 'discarded',
          discardedAt: '$$NOW',
          discardReason: { $literal: reason },
          leaseUntil: null,
          attempts: INTERRUPT_UNSETTLED,
          alertPending: '$$REMOVE',
        },
      },
    ],
  );
  return modifiedCount;
}
