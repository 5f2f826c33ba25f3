import { groupBy } from './group-by.ts';
import { type Db, type Expression, type ReadOptions, unlessDuplicate } from './mongo.ts';
import { collectionOf, definitionOf, REQUIRED, schemaOf } from './mongo-schema.ts';
import { CONFIRMED, NEWEST } from './newest-reads.ts';

/** A kind of cache entry: documents of a collection by `_id`, after the pipeline `stages`. */
export type EntryKind = { collection: string; stages: readonly Expression[] };
export type EntryName = { kind: EntryKind; id: string };

/** Lets all documents arrive in the first response, up to 16 MB. */
const BATCH_SIZE = 5000;
const NO_DOCUMENT = { $match: { _id: null } };
const TIME = { $unionWith: { pipeline: [{ $documents: [{ at: '$$NOW' }] }] } };

type FoundRow = { at?: Date; collection?: string; value?: { _id: string } };

/** Reads entries in one command, begun at `at` by the database's clock. A missing entry has no row. */
export async function readEntries(
  db: Db,
  names: readonly EntryName[],
  options: ReadOptions,
): Promise<{ at: Date; rows: (EntryName & { value: object })[] }> {
  const namesByKind = groupBy(names, ({ kind }) => kind);
  const reads = [...namesByKind].map(([kind, namesOfKind]) => readOf(kind, namesOfKind));
  const [time, ...rows] = await cacheLeaseCollection(db)
    .aggregate<FoundRow>([NO_DOCUMENT, TIME, ...reads], { ...options, batchSize: BATCH_SIZE })
    .toArray();
  const kinds = new Map([...namesByKind.keys()].map((kind) => [kind.collection, kind]));
  return {
    at: time?.at ?? new Date(0),
    rows: rows.flatMap(({ collection = '', value }) => {
      const kind = kinds.get(collection);
      return kind === undefined || value === undefined ? [] : [{ kind, id: value._id, value }];
    }),
  };
}

function readOf({ collection, stages }: EntryKind, names: readonly EntryName[]): Expression {
  const byIds = { $match: { _id: { $in: names.map(({ id }) => id) } } };
  const row = { $project: { _id: 0, collection: { $literal: collection }, value: '$$ROOT' } };
  return { $unionWith: { coll: collection, pipeline: [byIds, ...stages, row] } };
}

/** A single document: the longest lease (validity of cached rules) of any process. It never falls. */
const cacheLeaseSchema = schemaOf('cache_leases', { _id: REQUIRED.text, leaseMs: REQUIRED.number });

const ID = 'rules';

export const CACHE_LEASES = definitionOf(cacheLeaseSchema);

const cacheLeaseCollection = (db: Db) => collectionOf(db, cacheLeaseSchema);

/**
 * Stores that leases last up to `leaseMs`; await it before giving a lease. Never lowers the value: older leases may
 * still run.
 */
export async function raiseLease(db: Db, leaseMs: number): Promise<void> {
  const raise = () => cacheLeaseCollection(db).updateOne({ _id: ID }, { $max: { leaseMs } }, { upsert: true });
  // One of two concurrent upserts fails; the retry finds the other's document.
  if ((await unlessDuplicate(raise())) === null) await raise();
}

/** The length of the longest lease given before this call. */
export async function findLongestLeaseMs(db: Db): Promise<number> {
  const row = await cacheLeaseCollection(db).findOne({ _id: ID }, NEWEST);
  return row?.leaseMs ?? 0;
}

/** Resolves if this server is still the primary and a majority has everything written before this call. */
export async function confirmPrimary(db: Db, maxTimeMS: number): Promise<void> {
  await cacheLeaseCollection(db).findOne({ _id: ID }, { ...CONFIRMED, maxTimeMS });
}
