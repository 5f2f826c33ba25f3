import type { Db } from '../../platform/mongo.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { type DeliveryState, deliveryCollection } from './deliveries.model.ts';

type AttemptStatistics = {
  events: number;
  byState: Partial<Record<DeliveryState, number>>;
  attempts: number;
  succeeded: number;
  /** The latest 10,000 attempts, ascending. */
  durationsMs: number[];
};

const MAX_DURATIONS = 10_000;
/** Enough for some 400,000 deliveries on a busy machine; for a partner with more, the call fails. */
const MAX_TIME_MS = 5000;

/** The states and attempts of a partner's deliveries created from `since` on. */
export async function findAttemptStatistics(db: Db, partnerId: string, since: Date): Promise<AttemptStatistics> {
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
  const outcomes = new Map(summary?.outcomes.map(({ _id, count }) => [_id, count]));
  const succeeded = outcomes.get('succeeded') ?? 0;
  return {
    events: summary?.events[0]?.count ?? 0,
    byState: Object.fromEntries(summary?.states.map(({ _id, count }) => [_id, count]) ?? []),
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
