import { batchedByDb } from '../../platform/batched.ts';
import { type GuardedUpdate, updateGuarded, updateTogether, valueAt } from '../../platform/bulk-writes.ts';
import { groupBy } from '../../platform/group-by.ts';
import type { Db, Expression } from '../../platform/mongo.ts';
import { NEWEST } from '../../platform/newest-reads.ts';
import { type AttemptRow, type DeliveryRow, deliveryCollection } from './deliveries.model.ts';
import type { AfterAttempt } from './retry-schedule.rules.ts';

export type Series = Pick<DeliveryRow, '_id' | 'generation'>;

/** Filter: no worker is making an attempt. */
export const IS_FREE: Expression = { $lte: [{ $ifNull: ['$leaseUntil', new Date(0)] }, '$$NOW'] };

/** The newest attempts that a row keeps. Without a limit, interrupted attempts could make it grow for ever. */
const MAX_ATTEMPTS_KEPT = 50;

/** The row's attempts, with each unfinished one marked interrupted: its worker has died. */
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

export function newAttemptRow(
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
 * Begins an attempt: locks the row for `lockMs` and adds the attempt as number `attemptsMade` + 1. False if the row
 * has changed since it was read, or is locked.
 */
export async function beginAttempt(
  db: Db,
  row: Pick<DeliveryRow, '_id' | 'generation' | 'state' | 'attemptsMade'>,
  attempt: Pick<AttemptRow, 'deliveryId' | 'endpointUrl'>,
  lockMs: number,
): Promise<boolean> {
  const { _id, generation, state, attemptsMade } = row;
  const newAttempt = {
    $mergeObjects: [{ $literal: newAttemptRow(row, attempt, new Date(0)) }, { sentAt: '$$NOW' }],
  };
  const attempts = { $slice: [{ $concatArrays: [INTERRUPT_UNSETTLED, [newAttempt]] }, -MAX_ATTEMPTS_KEPT] };
  const { modifiedCount } = await deliveryCollection(db).updateOne(
    { _id, generation, state, attemptsMade, $expr: IS_FREE },
    [{ $set: { leaseUntil: { $add: ['$$NOW', lockMs] }, attempts } }],
  );
  return modifiedCount === 1;
}

/** Removes first attempts that were not sent, and unlocks their rows. */
export async function withdrawAttempts(
  db: Db,
  attempts: readonly { deliveryId: string; attemptId: string }[],
): Promise<void> {
  const attemptIds = attempts.map(({ attemptId }) => attemptId);
  await deliveryCollection(db).updateMany(
    {
      _id: { $in: attempts.map(({ deliveryId }) => deliveryId) },
      attempts: { $elemMatch: { deliveryId: { $in: attemptIds }, outcome: 'started' } },
    },
    { $set: { attempts: [], leaseUntil: null } },
  );
}

/** `sentAt`: when the attempt was sent, if its row was written earlier. */
type Settlement = Series & { attemptId: string; after: AfterAttempt } & Pick<
    AttemptRow,
    'statusCode' | 'error' | 'errorDetail' | 'redirectTo' | 'durationMs' | 'responseExcerpt'
  > & { sentAt?: Date };

/** How long results wait to be written in one batch. Only this worker waits for the write. */
const LINGER_MS = 20;
const MAX_BATCH = 200;

/**
 * Ends the attempt and gives the row its new state. False if the result must not count, because the attempt is not open
 * any more: its lock has expired and another worker has marked it interrupted, or a new series has begun.
 */
export const settleAttempt = batchedByDb<Settlement, boolean>(settleAttempts, MAX_BATCH, LINGER_MS);

/** Settles attempts with equal row changes in one update; if the update misses some, settles each one separately. */
async function settleAttempts(db: Db, settlements: readonly Settlement[]): Promise<(boolean | Error)[]> {
  const groups = groupBy(settlements, ({ generation, after }) => JSON.stringify([generation, after]));
  const outcomes = new Map<Settlement, boolean | Error>();
  for (const group of groups.values()) {
    if (await updateTogether(deliveryCollection(db), settlementUpdate(group), group.length))
      for (const each of group) outcomes.set(each, true);
  }
  const rest = settlements.filter((each) => !outcomes.has(each));
  for (const [index, outcome] of (await settleEach(db, rest)).entries())
    outcomes.set(rest[index] as Settlement, outcome);
  return settlements.map((each) => outcomes.get(each) ?? false);
}

/** Safe for attempts that are settled already: they no longer match. */
async function settleEach(db: Db, settlements: readonly Settlement[]): Promise<(boolean | Error)[]> {
  if (settlements.length === 0) return [];
  const updates = settlements.map((each) => settlementUpdate([each]));
  const { errors, changed } = await updateGuarded(deliveryCollection(db), updates);
  const failed = errors.filter((err) => err !== undefined).length;
  const areAllMade = changed + failed === settlements.length;
  const attempts = areAllMade ? undefined : await findAttempts(db, settlements);
  return settlements.map(({ attemptId }, index) => {
    // An attempt that another worker has marked interrupted has no duration.
    const isSettled = areAllMade || (attempts?.get(attemptId)?.durationMs ?? null) !== null;
    return errors[index] ?? isSettled;
  });
}

/** The update for settlements that differ only in ids and results. */
function settlementUpdate(settlements: readonly Settlement[]): GuardedUpdate {
  const [first] = settlements;
  if (first === undefined) throw new Error('There is nothing to settle');
  const { outcome, state, attemptsMade, nextAttemptInMs, isNewDeadLetter } = first.after;
  const attemptIds = settlements.map(({ attemptId }) => attemptId);
  const results = settlements.map(({ _id, generation: _series, attemptId: _own, after: _next, ...result }) => ({
    ...result,
    outcome,
  }));
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
          ...(isNewDeadLetter ? { alertPending: true, isUncounted: true } : {}),
        },
      },
    ],
  };
}

/** All attempts of these deliveries, by attempt id. */
async function findAttempts(db: Db, deliveries: readonly { _id: string }[]): Promise<Map<string, AttemptRow>> {
  const rows = await deliveryCollection(db)
    .find({ _id: { $in: deliveries.map(({ _id }) => _id) } }, NEWEST)
    .project<Pick<DeliveryRow, 'attempts'>>({ attempts: 1 })
    .toArray();
  return new Map(rows.flatMap(({ attempts }) => attempts).map((attempt) => [attempt.deliveryId, attempt]));
}
