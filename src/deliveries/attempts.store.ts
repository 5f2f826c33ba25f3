import type { Db, Expression } from '../platform/mongo.ts';
import type { AttemptRow, DeliveryRow } from './deliveries.model.ts';
import { deliveryCollection } from './deliveries.model.ts';
import type { AfterAttempt } from './retry-schedule.rules.ts';

/** One series of attempts of a delivery. */
export type Series = Pick<DeliveryRow, '_id' | 'generation'>;

/** Nobody is making an attempt. */
export const IS_FREE: Expression = { $lte: [{ $ifNull: ['$leaseUntil', new Date(0)] }, '$$NOW'] };

/** Interrupted attempts are not counted, so only this bounds the row. */
const MAX_ATTEMPTS_KEPT = 50;

/** What an attempt that was begun and never settled reads as, once its lease is over. */
export const INTERRUPT_UNSETTLED: Expression = {
  $map: {
    input: '$attempts',
    in: {
      $cond: [
        { $eq: ['$$this.outcome', 'started'] },
        { $mergeObjects: ['$$this', { outcome: 'interrupted', error: 'interrupted' }] },
        '$$this',
      ],
    },
  },
};

/**
 * Begins an attempt: takes the row for `leaseMs` and adds the attempt to it, numbered after the counted ones, in one
 * update. Null where the row has moved on since it was read, or somebody else has it.
 */
export async function beginAttempt(
  db: Db,
  row: Pick<DeliveryRow, '_id' | 'generation' | 'state' | 'attemptsMade'>,
  attemptId: string,
  leaseMs: number,
): Promise<DeliveryRow | null> {
  const attempt = {
    deliveryId: { $literal: attemptId },
    attempt: { $add: ['$attemptsMade', 1] },
    sentAt: '$$NOW',
    outcome: 'started',
    statusCode: null,
    error: null,
    durationMs: null,
    responseExcerpt: null,
  };
  return deliveryCollection(db).findOneAndUpdate(
    {
      _id: row._id,
      generation: row.generation,
      state: row.state,
      attemptsMade: row.attemptsMade,
      $expr: IS_FREE,
    },
    [
      {
        $set: {
          leaseUntil: { $add: ['$$NOW', leaseMs] },
          attempts: { $slice: [{ $concatArrays: [INTERRUPT_UNSETTLED, [attempt]] }, -MAX_ATTEMPTS_KEPT] },
        },
      },
    ],
    { returnDocument: 'after' },
  );
}

/** The result of an attempt, and what the delivery is after it. */
export type Settlement = AfterAttempt &
  Pick<AttemptRow, 'statusCode' | 'error' | 'durationMs' | 'responseExcerpt'>;

/**
 * Ends the attempt and gives the row its new state. Null where the attempt is not open any more: its lease ran out and
 * another worker has marked it interrupted, or a new series has begun, so what came of it must not count.
 */
export async function settleAttempt(
  db: Db,
  { _id, generation }: Series,
  attemptId: string,
  settlement: Settlement,
): Promise<DeliveryRow | null> {
  const { state, attemptsMade, nextAttemptInMs, isNewDeadLetter, ...result } = settlement;
  const merged = {
    $map: {
      input: '$attempts',
      in: {
        $cond: [
          { $eq: ['$$this.deliveryId', attemptId] },
          { $mergeObjects: ['$$this', { $literal: result }] },
          '$$this',
        ],
      },
    },
  };
  return deliveryCollection(db).findOneAndUpdate(
    { _id, generation, attempts: { $elemMatch: { deliveryId: attemptId, outcome: 'started' } } },
    [
      {
        $set: {
          attempts: merged,
          state,
          attemptsMade,
          leaseUntil: null,
          nextAttemptAt: nextAttemptInMs === null ? null : { $add: ['$$NOW', nextAttemptInMs] },
          deadLetteredAt: state === 'dead_letter' ? { $ifNull: ['$deadLetteredAt', '$$NOW'] } : null,
          // The operators have to be alerted; the row keeps that until they were.
          ...(isNewDeadLetter ? { alertPending: true, isUncounted: true } : {}),
        },
      },
    ],
    { returnDocument: 'after' },
  );
}
