import { batched } from '../../platform/batched.ts';
import type { GuardedUpdate } from '../../platform/bulk-writes.ts';
import { updateGuarded, updateTogether, valueAt } from '../../platform/bulk-writes.ts';
import { groupBy } from '../../platform/group-by.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import type { Db, Expression } from '../../platform/mongo.ts';
import { NEWEST } from '../../platform/newest-reads.ts';
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

/** An attempt that is under way: nothing has come of it yet. */
export function begunAttempt(
  { attemptsMade, generation }: Pick<DeliveryRow, 'attemptsMade' | 'generation'>,
  attempt: Pick<AttemptRow, 'deliveryId' | 'endpointUrl'>,
  sentAt: Date,
): AttemptRow {
  return {
    ...attempt,
    attempt: attemptsMade + 1,
    series: generation,
    sentAt,
    outcome: 'started',
    statusCode: null,
    error: null,
    durationMs: null,
    responseExcerpt: null,
  };
}

/**
 * Begins an attempt: takes the row for `leaseMs` and adds the attempt, numbered after the counted ones. False where the row is another
 * than `row` says, or somebody else has it.
 */
export async function beginAttempt(
  db: Db,
  row: Pick<DeliveryRow, '_id' | 'generation' | 'state' | 'attemptsMade'>,
  attempt: Pick<AttemptRow, 'deliveryId' | 'endpointUrl'>,
  leaseMs: number,
): Promise<boolean> {
  const { _id, generation, state, attemptsMade } = row;
  const begun = {
    $mergeObjects: [{ $literal: begunAttempt(row, attempt, new Date(0)) }, { sentAt: '$$NOW' }],
  };
  const attempts = { $slice: [{ $concatArrays: [INTERRUPT_UNSETTLED, [begun]] }, -MAX_ATTEMPTS_KEPT] };
  const { modifiedCount } = await deliveryCollection(db).updateOne(
    { _id, generation, state, attemptsMade, $expr: IS_FREE },
    [{ $set: { leaseUntil: { $add: ['$$NOW', leaseMs] }, attempts } }],
  );
  return modifiedCount === 1;
}

/** Takes back first attempts with which the rows were created, and of which nothing was sent. */
export async function withdrawAttempts(
  db: Db,
  attempts: readonly { deliveryId: string; attemptId: string }[],
): Promise<void> {
  await deliveryCollection(db).updateMany(
    {
      _id: { $in: attempts.map(({ deliveryId }) => deliveryId) },
      attempts: {
        $elemMatch: { deliveryId: { $in: attempts.map(({ attemptId }) => attemptId) }, outcome: 'started' },
      },
    },
    { $set: { attempts: [], leaseUntil: null } },
  );
}

/** What came of an attempt, and what its delivery is after it. `sentAt`: when it was sent, of one whose row was written before. */
export type Settlement = Series & { attemptId: string; after: AfterAttempt } & Pick<
    AttemptRow,
    'statusCode' | 'error' | 'errorDetail' | 'redirectTo' | 'durationMs' | 'responseExcerpt'
  > & { sentAt?: Date };

/** How long a result is kept to be written with others: nobody outside waits for it. */
const LINGER_MS = 20;
const MAX_BATCH = 200;

const settleSoon = memoizeByObject((db: Db) =>
  batched<Settlement, boolean>((settlements) => settleAttempts(db, settlements), MAX_BATCH, LINGER_MS),
);

/**
 * Ends the attempt and gives the row its new state. False where the attempt is not open any more: its lease ran out and
 * another worker has marked it interrupted, or a new series has begun, so what came of it must not count.
 */
export const settleAttempt = (db: Db, settlement: Settlement): Promise<boolean> => settleSoon(db)(settlement);

/** Those after which the row is alike by one update, and by one each where that has not settled all of them. */
async function settleAttempts(db: Db, settlements: readonly Settlement[]): Promise<(boolean | Error)[]> {
  const alike = groupBy(settlements, ({ generation, after }) => JSON.stringify([generation, after]));
  const outcomes = new Map<Settlement, boolean | Error>();
  for (const group of alike.values()) {
    if (await updateTogether(deliveryCollection(db), asSettled(group), group.length))
      for (const each of group) outcomes.set(each, true);
  }
  const rest = settlements.filter((each) => !outcomes.has(each));
  for (const [each, outcome] of await settleEach(db, rest)) outcomes.set(each, outcome);
  return settlements.map((each) => outcomes.get(each) ?? false);
}

/** One that is settled already is not settled again: it matches no more. */
async function settleEach(
  db: Db,
  settlements: readonly Settlement[],
): Promise<[Settlement, boolean | Error][]> {
  if (settlements.length === 0) return [];
  const updates = settlements.map((each) => asSettled([each]));
  const { errors, changed } = await updateGuarded(deliveryCollection(db), updates);
  const failed = errors.filter((err) => err !== undefined).length;
  const areAllMade = changed + failed === settlements.length;
  const attempts = areAllMade ? undefined : await findAttempts(db, settlements);
  return settlements.map((each, index) => {
    // One that another worker has marked interrupted has no duration.
    const isSettled = areAllMade || (attempts?.get(each.attemptId)?.durationMs ?? null) !== null;
    return [each, errors[index] ?? isSettled];
  });
}

/** The update of the rows of settlements that differ in ids and results alone. */
function asSettled(settlements: readonly Settlement[]): GuardedUpdate {
  const [first] = settlements;
  if (first === undefined) throw new Error('There is nothing to settle');
  const { outcome, state, attemptsMade, nextAttemptInMs, isNewDeadLetter } = first.after;
  const attemptIds = settlements.map(({ attemptId }) => attemptId);
  const results = settlements.map(
    ({ _id, generation: _series, attemptId: _own, after: _next, ...result }) => ({
      ...result,
      outcome,
    }),
  );
  const isStarted = { $eq: ['$$this.outcome', 'started'] };
  const settled = { $mergeObjects: ['$$this', valueAt('$$this.deliveryId', attemptIds, results)] };
  return {
    filter: {
      _id: { $in: settlements.map(({ _id }) => _id) },
      generation: first.generation,
      attempts: { $elemMatch: { deliveryId: { $in: attemptIds }, outcome: 'started' } },
    },
    update: [
      {
        $set: {
          attempts: { $map: { input: '$attempts', in: { $cond: [isStarted, settled, '$$this'] } } },
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
  };
}

/** The attempts of these deliveries as they are now, by their ids. */
async function findAttempts(db: Db, of: readonly { _id: string }[]): Promise<Map<string, AttemptRow>> {
  const rows = await deliveryCollection(db)
    .find({ _id: { $in: of.map(({ _id }) => _id) } }, NEWEST)
    .project<Pick<DeliveryRow, 'attempts'>>({ attempts: 1 })
    .toArray();
  return new Map(rows.flatMap(({ attempts }) => attempts).map((attempt) => [attempt.deliveryId, attempt]));
}
