import { type Backlog, measureBacklog } from '../../platform/backlog.store.ts';
import type { Db, Tx } from '../../platform/mongo.ts';
import { omitUndefined } from '../../platform/objects.ts';
import { IS_FREE } from './attempts.store.ts';
import { type AttemptRow, type DeliveryRow, type DeliveryState, deliveryCollection } from './deliveries.model.ts';
import { WAITING } from './delivery-states.store.ts';

const MAX_DURATIONS = 10_000;
/** Enough for the statistics of some 400,000 deliveries on a busy machine; for a partner with more, the call fails. */
const MAX_TIME_MS = 5000;

/**
 * The states and attempts of a partner's deliveries created from `since` on. `durationsMs`: of up to 10,000 attempts of
 * the latest deliveries, ascending.
 */
export async function findAttemptStatistics(db: Db, partnerId: string, since: Date) {
  const isCounted = { 'attempts.outcome': { $in: ['succeeded', 'failed'] } };
  const [summary] = await deliveryCollection(db)
    .aggregate<{
      states: { _id: DeliveryState; count: number }[];
      events: { count: number }[];
      outcomes: { _id: 'succeeded' | 'failed'; count: number }[];
      durations: { durationMs: number }[];
    }>(
      [
        { $match: { partnerId, createdAt: { $gte: since } } },
        {
          $facet: {
            states: [{ $group: { _id: '$state', count: { $sum: 1 } } }],
            events: [{ $group: { _id: '$eventId' } }, { $count: 'count' }],
            outcomes: [
              { $unwind: '$attempts' },
              { $match: isCounted },
              { $group: { _id: '$attempts.outcome', count: { $sum: 1 } } },
            ],
            durations: [
              { $sort: { createdAt: -1 } },
              { $limit: MAX_DURATIONS },
              { $unwind: '$attempts' },
              { $match: isCounted },
              { $limit: MAX_DURATIONS },
              { $project: { _id: 0, durationMs: '$attempts.durationMs' } },
              { $sort: { durationMs: 1 } },
            ],
          },
        },
      ],
      { maxTimeMS: MAX_TIME_MS },
    )
    .toArray();
  const states = new Map(summary?.states.map(({ _id, count }) => [_id, count]));
  const outcomes = new Map(summary?.outcomes.map(({ _id, count }) => [_id, count]));
  const succeeded = outcomes.get('succeeded') ?? 0;
  return {
    events: summary?.events[0]?.count ?? 0,
    countIn: (state: DeliveryState) => states.get(state) ?? 0,
    attempts: succeeded + (outcomes.get('failed') ?? 0),
    succeeded,
    durationsMs: summary?.durations.map(({ durationMs }) => durationMs) ?? [],
  };
}

/** How many matching dead letters each subscription has. */
export async function countDeadLetters(
  db: Db,
  filter: { partnerId?: string; subscriptionId?: string; eventType?: string },
): Promise<Map<string, number>> {
  const rows = await deliveryCollection(db)
    .aggregate<{ _id: string; count: number }>([
      { $match: { ...omitUndefined(filter), state: 'dead_letter' } },
      { $group: { _id: '$subscriptionId', count: { $sum: 1 } } },
    ])
    .toArray();
  return new Map(rows.map(({ _id, count }) => [_id, count]));
}

/** A dead letter that alerting has not counted yet; its state may have changed. */
export type UncountedDeadLetter = Pick<DeliveryRow, '_id' | 'subscriptionId' | 'partnerId'> & {
  attempts: Pick<AttemptRow, 'statusCode' | 'error' | 'errorDetail'>[];
};

export async function findUncounted(db: Db, limit: number): Promise<UncountedDeadLetter[]> {
  return deliveryCollection(db)
    .find({ isUncounted: true })
    .project<UncountedDeadLetter>({ subscriptionId: 1, partnerId: 1, attempts: { $slice: -1 } })
    .limit(limit)
    .toArray();
}

/** Marks dead letters as counted; returns how many were not counted before. */
export async function markCounted(db: Db, ids: readonly string[], tx: Tx): Promise<number> {
  const { modifiedCount } = await deliveryCollection(db).updateMany(
    { _id: { $in: [...ids] }, isUncounted: true },
    { $unset: { isUncounted: '' } },
    // Without this hint, MongoDB takes the index on `isUncounted`, and each batch reads all uncounted dead letters.
    { session: tx, hint: { _id: 1 } },
  );
  return modifiedCount;
}

export async function hasDeadLetter(db: Db, subscriptionId: string): Promise<boolean> {
  const row = await deliveryCollection(db).findOne(
    { subscriptionId, state: 'dead_letter' },
    { projection: { _id: 1 }, hint: 'dead_letters_of_subscription' },
  );
  return row !== null;
}

/** Counting ends at this number: a scrape of the metrics must not read a large backlog. */
const COUNTED_AT_MOST = 100_000;

/** States of deliveries that may still change. */
type OpenState = Extract<DeliveryState, 'pending' | 'retrying' | 'dead_letter'>;

/** How many deliveries are in this state, up to 100,000, from the index alone. Rejects after 5 s. */
export async function countInState(db: Db, state: OpenState): Promise<number> {
  const options = { hint: 'open_deliveries', limit: COUNTED_AT_MOST, maxTimeMS: MAX_TIME_MS };
  return deliveryCollection(db).countDocuments({ state }, options);
}

const BY_DUE_TIME = { field: 'nextAttemptAt', hint: 'due_deliveries' };

export async function findDueBacklog(db: Db): Promise<Backlog | null> {
  return measureBacklog(deliveryCollection(db), { state: WAITING }, { ...BY_DUE_TIME, graceMs: 0 });
}

/** Deliveries overdue by at least `graceMs` without an attempt in progress. Rejects after 5 s. */
export async function findOverdueBacklog(
  db: Db,
  graceMs: number,
  exceptSubscriptionIds: readonly string[],
): Promise<Backlog | null> {
  const match = {
    state: WAITING,
    // Leave out deliveries being sent: WEBHOOK_TIMEOUT_MS may exceed `graceMs`, so they would count as overdue.
    $and: [{ $expr: IS_FREE }],
    ...(exceptSubscriptionIds.length === 0 ? {} : { subscriptionId: { $nin: [...exceptSubscriptionIds] } }),
  };
  return measureBacklog(deliveryCollection(db), match, { ...BY_DUE_TIME, graceMs });
}
