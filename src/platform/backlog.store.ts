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

/** The end of a page of what is due: the last instant in it, and the ids that were seen of that instant. */
export type DuePosition = { at: Date; ids: string[] };

export type DuePage = { ids: string[]; next: DuePosition | undefined };

/**
 * The ids of up to `limit` rows that `match` describes and that have been due, by `field`, for at least `graceMs`, oldest first
 * and after `from`; `next` where there may be more. Rows of one instant are told apart by their ids, so that none is passed
 * over. `hint` names the index of `field`.
 */
export async function findDuePage<T extends { _id: string }>(
  collection: mongoose.mongo.Collection<T>,
  match: Expression,
  { field, graceMs, hint, limit, from }: DueQuery,
): Promise<DuePage> {
  const isDue = { $lte: [`$${field}`, { $subtract: ['$$NOW', graceMs] }] };
  const after = from === undefined ? {} : { [field]: { $gte: from.at }, _id: { $nin: from.ids } };
  const rows = await collection
    .aggregate<{ _id: string; at: Date }>(
      [
        { $match: { $and: [match, after], $expr: isDue } },
        { $sort: { [field]: 1 } },
        { $limit: limit },
        { $project: { at: `$${field}` } },
      ],
      { hint, batchSize: limit },
    )
    .toArray();
  const ids = rows.map(({ _id }) => _id);
  const last = rows.at(-1);
  if (last === undefined || rows.length < limit) return { ids, next: undefined };
  const lastMs = last.at.getTime();
  const ofLast = rows.filter(({ at }) => at.getTime() === lastMs).map(({ _id }) => _id);
  const seen = from?.at.getTime() === lastMs ? from.ids : [];
  return { ids, next: { at: last.at, ids: [...seen, ...ofLast] } };
}

export type DueQuery = {
  field: string;
  graceMs: number;
  hint: string;
  limit: number;
  from?: DuePosition | undefined;
};
