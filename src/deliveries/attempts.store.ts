import type { GuardedUpdate } from '../platform/bulk-writes.ts';
import { updateGuarded, updateTogether, valueAt } from '../platform/bulk-writes.ts';
import { onePer } from '../platform/coalesced.ts';
import { gathered } from '../platform/gathered.ts';
import { groupBy } from '../platform/group-by.ts';
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

/** How many attempts are begun and settled together at most. */
const MAX_BATCH = 200;

type Result = Pick<
  AttemptRow,
  'outcome' | 'statusCode' | 'error' | 'errorDetail' | 'redirectTo' | 'durationMs' | 'responseExcerpt'
>;

/** A guarded update that leaves its attempt in the row such that it can be told from one that was not made. */
type AttemptWrite = {
  deliveryId: string;
  attemptId: string;
  endpointUrl?: string;
  result?: Result;
  isMadeIn: (attempt: AttemptRow) => boolean;
  /** Writes of one kind differ in what is above alone. */
  kind: string;
  /** The update of all the rows for which writes of the kind are. */
  updateOf: (writes: readonly AttemptWrite[]) => GuardedUpdate;
};

/**
 * Makes the update together with those of the attempts that begin or end at the same time (ADR 0034): those of one kind by one update,
 * and where that has not made all of them, each by itself. Whether it was made: where not all were, each finds out by its attempt in the row.
 */
const writeAttempt = onePer((db: Db) =>
  gathered<AttemptWrite, boolean>(async (writes) => {
    const kinds = [...groupBy(writes, ({ kind }) => kind).values()];
    const areMade = await Promise.all(kinds.map((alike) => writeAlike(db, alike)));
    const rest = kinds.filter((_, index) => !areMade[index]).flat();
    const verdicts = await writeEachAttempt(db, rest);
    return writes.map((write) => verdicts.get(write) ?? true);
  }, MAX_BATCH),
);

const writeAlike = async (db: Db, alike: readonly AttemptWrite[]): Promise<boolean> =>
  alike[0] !== undefined && updateTogether(deliveryCollection(db), alike[0].updateOf(alike), alike.length);

/** What was made already is not made again: it matches no more. */
async function writeEachAttempt(
  db: Db,
  writes: readonly AttemptWrite[],
): Promise<Map<AttemptWrite, boolean | Error>> {
  if (writes.length === 0) return new Map();
  const updates = writes.map((write) => write.updateOf([write]));
  const { errors, changed } = await updateGuarded(deliveryCollection(db), updates);
  const failed = errors.filter((err) => err !== undefined);
  const isEachMade = changed + failed.length === writes.length;
  const attempts = isEachMade ? undefined : await findAttempts(db, writes);
  return new Map(
    writes.map((write, index) => {
      const attempt = attempts?.get(write.attemptId);
      const isMade = isEachMade || (attempt !== undefined && write.isMadeIn(attempt));
      return [write, errors[index] ?? isMade];
    }),
  );
}

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
 * update. False where the row is another than `row` says, or somebody else has it.
 */
export async function beginAttempt(
  db: Db,
  {
    _id,
    generation,
    state,
    attemptsMade,
  }: Pick<DeliveryRow, '_id' | 'generation' | 'state' | 'attemptsMade'>,
  attempt: { id: string; endpointUrl: string },
  leaseMs: number,
): Promise<boolean> {
  return writeAttempt(db)({
    deliveryId: _id,
    attemptId: attempt.id,
    endpointUrl: attempt.endpointUrl,
    // Nothing else adds it.
    isMadeIn: () => true,
    kind: `begin ${generation} ${state} ${attemptsMade} ${leaseMs}`,
    updateOf: (writes) => ({
      filter: { ...areOf(writes), generation, state, attemptsMade, $expr: IS_FREE },
      update: asBegun(writes, leaseMs),
    }),
  });
}

const areOf = (writes: readonly AttemptWrite[]) => ({
  _id: { $in: writes.map(({ deliveryId }) => deliveryId) },
});

function asBegun(writes: readonly AttemptWrite[], leaseMs: number): Expression[] {
  const deliveryIds = writes.map(({ deliveryId }) => deliveryId);
  const attempt = {
    deliveryId: valueAt('$_id', deliveryIds, attemptIdsOf(writes)),
    attempt: { $add: ['$attemptsMade', 1] },
    series: '$generation',
    endpointUrl: valueAt(
      '$_id',
      deliveryIds,
      writes.map(({ endpointUrl }) => endpointUrl),
    ),
    sentAt: '$$NOW',
    outcome: 'started',
    statusCode: null,
    error: null,
    durationMs: null,
    responseExcerpt: null,
  };
  const attempts = { $slice: [{ $concatArrays: [INTERRUPT_UNSETTLED, [attempt]] }, -MAX_ATTEMPTS_KEPT] };
  return [{ $set: { leaseUntil: { $add: ['$$NOW', leaseMs] }, attempts } }];
}

const attemptIdsOf = (writes: readonly AttemptWrite[]): string[] => writes.map(({ attemptId }) => attemptId);

/** The result of an attempt, and what the delivery is after it. */
export type Settlement = AfterAttempt & Omit<Result, 'outcome'>;

/**
 * Ends the attempt and gives the row its new state. False where the attempt is not open any more: its lease ran out and
 * another worker has marked it interrupted, or a new series has begun, so what came of it must not count.
 */
export async function settleAttempt(
  db: Db,
  { _id, generation }: Series,
  attemptId: string,
  { state, attemptsMade, nextAttemptInMs, isNewDeadLetter, ...result }: Settlement,
): Promise<boolean> {
  const after = { state, attemptsMade, nextAttemptInMs, isNewDeadLetter };
  return writeAttempt(db)({
    deliveryId: _id,
    attemptId,
    result,
    // One that another worker has marked interrupted has no duration.
    isMadeIn: ({ durationMs }) => durationMs !== null,
    kind: `settle ${generation} ${JSON.stringify(after)}`,
    updateOf: (writes) => ({
      filter: {
        ...areOf(writes),
        generation,
        attempts: { $elemMatch: { deliveryId: { $in: attemptIdsOf(writes) }, outcome: 'started' } },
      },
      update: asSettled(writes, after),
    }),
  });
}

function asSettled(
  writes: readonly AttemptWrite[],
  { state, attemptsMade, nextAttemptInMs, isNewDeadLetter }: Omit<AfterAttempt, 'outcome'>,
): Expression[] {
  const results = writes.map(({ result }) => result);
  const resultOfThis = valueAt('$$this.deliveryId', attemptIdsOf(writes), results);
  const isStarted = { $eq: ['$$this.outcome', 'started'] };
  const settled = { $cond: [isStarted, { $mergeObjects: ['$$this', resultOfThis] }, '$$this'] };
  const attempts = { $map: { input: '$attempts', in: settled } };
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
