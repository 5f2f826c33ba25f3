import type mongoose from 'mongoose';
import type { Expression } from './mongo.ts';

/** What waits: how many (counted up to 10,000), since when the oldest of it, and how long that is by the database's clock. */
export type Backlog = { count: number; since: Date; ageMs: number };

const COUNTED_AT_MOST = 10_000;
const MAX_TIME_MS = 5000;

/**
 * What `match` describes and has been due, by `field`, for at least `graceMs`; null where there is nothing. `field` must
 * have an index of its own that holds little but what is due, and `hint` names it where the planner may choose another.
 */
export async function measureBacklog<T extends object>(
  collection: mongoose.mongo.Collection<T>,
  match: Expression,
  { field, graceMs, hint }: { field: string; graceMs: number; hint: string },
): Promise<Backlog | null> {
  const isDue = { $lte: [`$${field}`, { $subtract: ['$$NOW', graceMs] }] };
  const [backlog] = await collection
    .aggregate<Backlog>(
      [
        { $match: { ...match, $expr: isDue } },
        { $sort: { [field]: 1 } },
        { $limit: COUNTED_AT_MOST },
        { $group: { _id: null, count: { $sum: 1 }, since: { $min: `$${field}` } } },
        { $set: { ageMs: { $subtract: ['$$NOW', '$since'] } } },
      ],
      { hint, maxTimeMS: MAX_TIME_MS },
    )
    .toArray();
  return backlog ?? null;
}
