import type { Backlog } from '../../platform/backlog.store.ts';
import { measureBacklog } from '../../platform/backlog.store.ts';
import type { Db, Tx } from '../../platform/mongo.ts';
import { IS_FREE } from './attempts.store.ts';
import type { AttemptRow, DeliveryRow, DeliveryState } from './deliveries.model.ts';
import { deliveryCollection } from './deliveries.model.ts';

/** A dead letter that alerting has not counted yet, whatever has become of it since. */
export type UncountedDeadLetter = Pick<DeliveryRow, '_id' | 'subscriptionId' | 'partnerId'> & {
  /** Its last attempt, where it has one. */
  attempts: Pick<AttemptRow, 'statusCode' | 'error' | 'errorDetail'>[];
};

/** Dead letters that have not been counted. */
export async function findUncounted(db: Db, limit: number): Promise<UncountedDeadLetter[]> {
  return deliveryCollection(db)
    .find({ isUncounted: true })
    .project<UncountedDeadLetter>({ subscriptionId: 1, partnerId: 1, attempts: { $slice: -1 } })
    .limit(limit)
    .toArray();
}

/** Marks dead letters counted, and returns how many of them nobody else had. */
export async function markCounted(db: Db, ids: readonly string[], tx: Tx): Promise<number> {
  const { modifiedCount } = await deliveryCollection(db).updateMany(
    { _id: { $in: [...ids] }, isUncounted: true },
    { $unset: { isUncounted: '' } },
    // By the mark it would walk all that are not counted yet, once for each batch.
    { session: tx, hint: { _id: 1 } },
  );
  return modifiedCount;
}

/** Whether a subscription has a dead letter. */
export async function hasDeadLetter(db: Db, subscriptionId: string): Promise<boolean> {
  const found = await deliveryCollection(db).findOne(
    { subscriptionId, state: 'dead_letter' },
    { projection: { _id: 1 }, hint: 'dead_letters_of_subscription' },
  );
  return found !== null;
}

/** Counting stops here: a scrape must not walk a backlog of any size. */
const COUNTED_AT_MOST = 100_000;

const MAX_TIME_MS = 5000;

/** The states that are no end, and that of dead letters. */
export type OpenState = Extract<DeliveryState, 'pending' | 'retrying' | 'dead_letter'>;

/** How many deliveries are in an open state, up to 100,000, from the index alone. Rejects where that takes more than 5 s. */
export async function countInState(db: Db, state: OpenState): Promise<number> {
  const options = { hint: 'open_deliveries', limit: COUNTED_AT_MOST, maxTimeMS: MAX_TIME_MS };
  return deliveryCollection(db).countDocuments({ state }, options);
}

/** The deliveries of which an attempt is due. */
export async function findDueBacklog(db: Db): Promise<Backlog | null> {
  const match = { state: { $in: ['pending', 'retrying'] } };
  return measureBacklog(deliveryCollection(db), match, {
    field: 'nextAttemptAt',
    graceMs: 0,
    hint: 'due_deliveries',
  });
}

/**
 * The deliveries of which an attempt has been due for at least `graceMs` and is not under way, but for those to `exceptSubscriptions`.
 * Reads, at worst, all that is due to those; rejects where that takes more than 5 s.
 */
export async function findOverdueBacklog(
  db: Db,
  graceMs: number,
  exceptSubscriptions: readonly string[],
): Promise<Backlog | null> {
  const match = {
    state: { $in: ['pending', 'retrying'] },
    // WEBHOOK_TIMEOUT_MS may be longer than the grace.
    $and: [{ $expr: IS_FREE }],
    ...(exceptSubscriptions.length === 0 ? {} : { subscriptionId: { $nin: [...exceptSubscriptions] } }),
  };
  return measureBacklog(deliveryCollection(db), match, {
    field: 'nextAttemptAt',
    graceMs,
    hint: 'due_deliveries',
  });
}
