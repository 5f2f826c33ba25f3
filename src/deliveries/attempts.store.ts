import type { GuardedUpdate } from '../platform/bulk-writes.ts';
import { updateGuarded } from '../platform/bulk-writes.ts';
import { onePer } from '../platform/coalesced.ts';
import { gathered } from '../platform/gathered.ts';
import type { Db, Expression } from '../platform/mongo.ts';
import { NEWEST } from '../platform/newest-reads.ts';
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

/** How many attempts are begun and settled by one bulk at most. */
const MAX_BATCH = 500;

/** A guarded update that leaves its attempt in the row such that it can be told from one that was not made. */
type AttemptWrite = GuardedUpdate & {
  deliveryId: string;
  attemptId: string;
  isMadeIn: (attempt: AttemptRow) => boolean;
};

/**
 * Makes the update, in one bulk with those of the attempts that begin or end at the same time (ADR 0034). Whether it was made: where
 * not all of a bulk were, each finds out by its attempt in the row.
 */
const writeAttempt = onePer((db: Db) =>
  gathered<AttemptWrite, boolean>(async (writes) => {
    const { errors, changed } = await updateGuarded(deliveryCollection(db), writes);
    const failed = errors.filter((err) => err !== undefined);
    const isEachMade = changed + failed.length === writes.length;
    const attempts = isEachMade ? undefined : await findAttempts(db, writes);
    return writes.map(({ attemptId, isMadeIn }, index) => {
      const attempt = attempts?.get(attemptId);
      return errors[index] ?? (isEachMade || (attempt !== undefined && isMadeIn(attempt)));
    });
  }, MAX_BATCH),
);

/** The attempts of these deliveries as they are now, by their ids. */
async function findAttempts(
  db: Db,
  writes: readonly { deliveryId: string }[],
): Promise<Map<string, AttemptRow>> {
  const rows = await deliveryCollection(db)
    .find({ _id: { $in: writes.map(({ deliveryId }) => deliveryId) } }, NEWEST)
    .project<Pick<DeliveryRow, 'attempts'>>({ attempts: 1 })
    .toArray();
  return new Map(rows.flatMap(({ attempts }) => attempts).map((attempt) => [attempt.deliveryId, attempt]));
}

/**
 * Begins an attempt: takes the row for `leaseMs` and adds the attempt to it, numbered after the counted ones, in one
 * update. False where the row has moved on since it was read, or somebody else has it.
 */
export async function beginAttempt(
  db: Db,
  row: Pick<DeliveryRow, '_id' | 'generation' | 'state' | 'attemptsMade'>,
  attemptId: string,
  leaseMs: number,
): Promise<boolean> {
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
  const { _id, generation, state, attemptsMade } = row;
  const attempts = { $slice: [{ $concatArrays: [INTERRUPT_UNSETTLED, [attempt]] }, -MAX_ATTEMPTS_KEPT] };
  return writeAttempt(db)({
    deliveryId: _id,
    attemptId,
    filter: { _id, generation, state, attemptsMade, $expr: IS_FREE },
    update: [{ $set: { leaseUntil: { $add: ['$$NOW', leaseMs] }, attempts } }],
    // Nothing else adds it.
    isMadeIn: () => true,
  });
}

/** The result of an attempt, and what the delivery is after it. */
export type Settlement = AfterAttempt &
  Pick<AttemptRow, 'statusCode' | 'error' | 'durationMs' | 'responseExcerpt'>;

/**
 * Ends the attempt and gives the row its new state. False where the attempt is not open any more: its lease ran out and
 * another worker has marked it interrupted, or a new series has begun, so what came of it must not count.
 */
export async function settleAttempt(
  db: Db,
  { _id, generation }: Series,
  attemptId: string,
  settlement: Settlement,
): Promise<boolean> {
  return writeAttempt(db)({
    deliveryId: _id,
    attemptId,
    filter: { _id, generation, attempts: { $elemMatch: { deliveryId: attemptId, outcome: 'started' } } },
    update: settlement.state === 'succeeded' ? asSucceeded(settlement) : asSettled(attemptId, settlement),
    // One that another worker has marked interrupted has no duration.
    isMadeIn: ({ durationMs }) => durationMs !== null,
  });
}

/** No instant is set by it, so it needs no pipeline, which costs the database more (ADR 0039). */
function asSucceeded({
  state,
  attemptsMade,
  outcome,
  statusCode,
  error,
  durationMs,
  responseExcerpt,
}: Settlement): Expression {
  return {
    $set: {
      ...{ 'attempts.$.outcome': outcome, 'attempts.$.statusCode': statusCode, 'attempts.$.error': error },
      ...{ 'attempts.$.durationMs': durationMs, 'attempts.$.responseExcerpt': responseExcerpt },
      ...{ state, attemptsMade, leaseUntil: null, nextAttemptAt: null, deadLetteredAt: null },
    },
  };
}

function asSettled(
  attemptId: string,
  { state, attemptsMade, nextAttemptInMs, isNewDeadLetter, ...result }: Settlement,
): Expression[] {
  const attempts = {
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
  return [
    {
      $set: {
        ...{ attempts, state, attemptsMade, leaseUntil: null },
        nextAttemptAt: nextAttemptInMs === null ? null : { $add: ['$$NOW', nextAttemptInMs] },
        deadLetteredAt: state === 'dead_letter' ? { $ifNull: ['$deadLetteredAt', '$$NOW'] } : null,
        // The operators have to be alerted; the row keeps that until they were.
        ...(isNewDeadLetter ? { alertPending: true, isUncounted: true } : {}),
      },
    },
  ];
}
