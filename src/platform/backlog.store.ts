import type mongoose from 'mongoose';
import type { Expression } from './mongo.ts';

/** The number of due rows (up to 10,000), and since when the oldest has been due, by the database's clock. */
export type Backlog = { count: number; since: Date; ageMs: number };

const COUNTED_AT_MOST = 10_000;
const MAX_TIME_MS = 5000;

/** Counts matching rows with a `field` at least `graceMs` ago; null if none. `hint` names an index of `field`. */
export async function measureBacklog<T extends object>(
  collection: mongoose.mongo.Collection<T>,
  match: Expression,
  { field, graceMs, hint }: { field: string; graceMs: number; hint: string },
): Promise<Backlog | null> {
  const [backlog] = await collection
    .aggregate<Backlog>(
      [
        { $match: { ...match, $expr: isDueFor(field, graceMs) } },
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

const isDueFor = (field: string, graceMs: number): Expression => ({
  $lte: [`$${field}`, { $subtract: ['$$NOW', graceMs] }],
});

/** The end of a page of due rows: the last instant on it, and the ids already read with that instant. */
export type DuePosition = { at: Date; ids: string[] };

export type DuePage = { ids: string[]; next: DuePosition | undefined };

export type DueQuery = {
  field: string;
  graceMs: number;
  hint: string;
  limit: number;
  after?: DuePosition | undefined;
};

/** Ids of matching rows with a `field` at least `graceMs` ago, oldest first, after the position `after`. */
export async function findDuePage<T extends { _id: string }>(
  collection: mongoose.mongo.Collection<T>,
  match: Expression,
  { field, graceMs, hint, limit, after }: DueQuery,
): Promise<DuePage> {
  const isAfter = after === undefined ? {} : { [field]: { $gte: after.at }, _id: { $nin: after.ids } };
  const rows = await collection
    .aggregate<{ _id: string; at: Date }>(
      [
        { $match: { $and: [match, isAfter], $expr: isDueFor(field, graceMs) } },
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
  const idsAtLast = rows.filter(({ at }) => at.getTime() === lastMs).map(({ _id }) => _id);
  const earlierIds = after?.at.getTime() === lastMs ? after.ids : [];
  return { ids, next: { at: last.at, ids: [...earlierIds, ...idsAtLast] } };
}
