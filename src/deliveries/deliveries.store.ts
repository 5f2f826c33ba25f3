import type { Db, Expression } from '../platform/mongo.ts';
import { confirmAbsence, NEWEST } from '../platform/newest-reads.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import type { Page, Position } from '../platform/pagination.ts';
import { beyond, toPage } from '../platform/pagination.ts';
import type { AttemptRow, DeliveryRow, DeliveryState } from './deliveries.model.ts';
import { deliveryCollection } from './deliveries.model.ts';
import type { AfterAttempt } from './retry-schedule.rules.ts';

/** Creates the rows that are missing, and returns how many that were; of an event and a subscription there is one. */
export async function upsertDeliveries(db: Db, rows: readonly DeliveryRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const { upsertedCount } = await deliveryCollection(db).bulkWrite(
    rows.map(({ eventId, subscriptionId, ...fields }) => ({
      updateOne: { filter: { eventId, subscriptionId }, update: { $setOnInsert: fields }, upsert: true },
    })),
    { ordered: false },
  );
  return upsertedCount;
}

/** Deliveries by their ids, or by their events and, where it is named, their subscription. */
export type DeliveriesOf =
  | { deliveryIds: readonly string[] }
  | { eventIds: readonly string[]; subscriptionId?: string };

/** Those on which no attempt of their series has been made. */
export async function findPending(db: Db, of: DeliveriesOf): Promise<DeliveryRow[]> {
  const which =
    'deliveryIds' in of
      ? { _id: { $in: [...of.deliveryIds] } }
      : { eventId: { $in: [...of.eventIds] }, ...omitUndefined({ subscriptionId: of.subscriptionId }) };
  return deliveryCollection(db)
    .find({ ...which, state: 'pending' }, NEWEST)
    .toArray();
}

/** Every delivery of `eventIds`, oldest first. */
export async function findEveryDeliveryOfEvents(db: Db, eventIds: readonly string[]): Promise<DeliveryRow[]> {
  return deliveryCollection(db)
    .find({ eventId: { $in: [...eventIds] } })
    .sort({ createdAt: 1, _id: 1 })
    .toArray();
}

/** Erases the excerpts of receivers' responses to these events: a response may quote what was sent. */
export async function eraseExcerpts(db: Db, eventIds: readonly string[]): Promise<void> {
  await deliveryCollection(db).updateMany(
    { eventId: { $in: [...eventIds] }, ...WITH_EXCERPT },
    { $set: { 'attempts.$[].responseExcerpt': null } },
  );
}

const WITH_EXCERPT = { 'attempts.responseExcerpt': { $type: 'string' } };

/** All deliveries with an excerpt of a response; what is in it is not indexed, so all are read. */
export function findWithExcerpt(
  db: Db,
): AsyncIterable<{ _id: string; attempts: { responseExcerpt: string | null }[] }> {
  return deliveryCollection(db)
    .find(WITH_EXCERPT, { projection: { 'attempts.responseExcerpt': 1 } })
    .batchSize(2000);
}

/** Erases the excerpts of responses in these deliveries. */
export async function eraseExcerptsById(db: Db, deliveryIds: readonly string[]): Promise<void> {
  await deliveryCollection(db).updateMany(
    { _id: { $in: [...deliveryIds] }, ...WITH_EXCERPT },
    { $set: { 'attempts.$[].responseExcerpt': null } },
  );
}

/** Ids and states of a subscription's deliveries of `eventIds`. */
export async function findDeliveriesOfEvents(
  db: Db,
  subscriptionId: string,
  eventIds: readonly string[],
): Promise<Pick<DeliveryRow, '_id' | 'eventId' | 'state'>[]> {
  return deliveryCollection(db)
    .find({ eventId: { $in: [...eventIds] }, subscriptionId }, NEWEST)
    .project<Pick<DeliveryRow, '_id' | 'eventId' | 'state'>>({ eventId: 1, state: 1 })
    .toArray();
}

/** A delivery for who is to work on it: as the guarded updates of the work will meet it. */
export async function findDelivery(db: Db, deliveryId: string): Promise<DeliveryRow | null> {
  return confirmAbsence((options) => deliveryCollection(db).findOne({ _id: deliveryId }, options), NEWEST);
}

/** The delivery with this id, or of which an attempt has it; both are UUIDs, so no id is both. */
export async function findDeliveryByAnyId(db: Db, id: string): Promise<DeliveryRow | null> {
  const either = { $or: [{ _id: id }, { 'attempts.deliveryId': id }] };
  return confirmAbsence((options) => deliveryCollection(db).findOne(either, options));
}

export async function findDeliveryOfEvent(
  db: Db,
  eventId: string,
  subscriptionId: string,
): Promise<DeliveryRow | null> {
  return confirmAbsence((options) => deliveryCollection(db).findOne({ eventId, subscriptionId }, options));
}

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

/** One series of attempts of a delivery. */
type Series = Pick<DeliveryRow, '_id' | 'generation'>;

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

const WAITING: { $in: DeliveryState[] } = { $in: ['pending', 'retrying'] };
const CANCELLED = { state: 'cancelled' as const, nextAttemptAt: null, leaseUntil: null };

/**
 * Ends a delivery whose receiver may not have it (any more); nothing more is sent. A dead letter stays one, and a series begun
 * since the row was read goes on.
 */
export async function cancelDelivery(db: Db, { _id, generation }: Series): Promise<void> {
  await deliveryCollection(db).updateOne({ _id, generation, state: WAITING }, { $set: CANCELLED });
}

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

/** Deliveries that have been due for `graceMs` and that no worker is sending, in the order of their ids from `afterId` on. */
export async function findOverdueDeliveries(
  db: Db,
  graceMs: number,
  afterId: string,
  limit: number,
): Promise<DeliveryRow[]> {
  return deliveryCollection(db)
    .aggregate<DeliveryRow>(
      [
        {
          $match: {
            _id: { $gt: afterId },
            state: WAITING,
            $expr: { $and: [{ $lte: ['$nextAttemptAt', { $subtract: ['$$NOW', graceMs] }] }, IS_FREE] },
          },
        },
        { $sort: { _id: 1 } },
        { $limit: limit },
      ],
      // By id it would walk every delivery that ever was.
      { hint: 'due_deliveries' },
    )
    .toArray();
}

export type DeliveryFilter = {
  /** Absent: every partner's. */
  partnerId?: string;
  /** Absent: every state. */
  state?: DeliveryState;
  eventType?: string;
  subscriptionId?: string;
};

/** The deliveries of a partner, or of all, newest first. */
export async function listDeliveryRows(
  db: Db,
  filter: DeliveryFilter,
  after: Position | undefined,
  limit: number,
): Promise<Page<DeliveryRow>> {
  const rows = await deliveryCollection(db)
    .find({ ...omitUndefined(filter), ...beyond(after, 'createdAt') } as never)
    .sort({ createdAt: -1, _id: -1 })
    .limit(limit + 1)
    .toArray();
  return toPage(rows, limit, (row) => ({ at: row.createdAt, id: row._id }));
}
