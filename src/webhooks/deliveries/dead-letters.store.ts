import type { Db } from '../../platform/mongo.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { INTERRUPT_UNSETTLED, IS_FREE } from './attempts.store.ts';
import { type DeliveryRow, deliveryCollection } from './deliveries.model.ts';

/** Dead letters without an alert to the operators, because a worker died. */
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
  const { deadLetteredAt: at = null } = last ?? {};
  const later =
    last === undefined || at === null
      ? {}
      : { $or: [{ deadLetteredAt: { $gt: at } }, { deadLetteredAt: at, _id: { $gt: last._id } }] };
  return deliveryCollection(db)
    .find(
      {
        ...omitUndefined(filter),
        state: 'dead_letter',
        deadLetteredAt: { $lte: to, ...omitUndefined({ $gte: from }) },
        ...later,
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
