import type { CollectionDefinition } from './ensure-collection.ts';
import type { Db } from './mongo.ts';
import { isDuplicateKey, openCollection } from './mongo.ts';
import { CONFIRMED, NEWEST } from './newest-reads.ts';

/** The one document: how often what processes keep in memory was changed, and what the last changes were of. */
type CacheVersion = {
  _id: string;
  version: number;
  /** How long a reading of the version may be relied on, for all processes. Only ever raised: see `raiseLease`. */
  leaseMs: number;
  /** The newest last, `MAX_CHANGES` at most. */
  changes: { version: number; tag: string }[];
};

const ID = 'rules';
const MAX_CHANGES = 200;

export const CACHE_VERSIONS: CollectionDefinition = { name: 'cache_versions', indexes: [] };

const versionCollection = (db: Db) => openCollection<CacheVersion>(db, CACHE_VERSIONS.name);

/** `changedTags`: of all changes after the version that was known; undefined where they are not known any more. */
export type VersionReading = {
  version: number;
  leaseMs: number;
  changedTags: readonly string[] | undefined;
  /** By the database's clock, no later than the state that was read. */
  at: Date;
};

/**
 * Reads the version and what has changed since `known`. Linearizable: no change that was acknowledged before the call is missing,
 * whichever server was the primary a moment ago. Null where there is no version yet. Rejects where it takes longer than `maxTimeMS`.
 */
export async function readVersion(db: Db, known: number, maxTimeMS: number): Promise<VersionReading | null> {
  const fields = {
    version: 1,
    leaseMs: 1,
    at: '$$NOW',
    firstKept: { $first: '$changes.version' },
    count: { $size: '$changes' },
    changes: { $filter: { input: '$changes', cond: { $gt: ['$$this.version', known] } } },
  };
  type Found = CacheVersion & { at: Date; firstKept?: number; count: number };
  const found = (await versionCollection(db).findOne(
    { _id: ID },
    { ...CONFIRMED, maxTimeMS, projection: fields },
  )) as Found | null;
  if (found === null) return null;
  const { version, leaseMs, at, firstKept = 0, count, changes } = found;
  // A version behind the one that is known is of another database, such as one that was restored from a backup.
  const isWhole = version >= known && (version === known || count < MAX_CHANGES || firstKept <= known);
  return { version, leaseMs, at, changedTags: isWhole ? changes.map(({ tag }) => tag) : undefined };
}

/** The version alone, of the newest state that the primary has, committed or about to be; undefined where there is none yet. */
export async function findNewestVersion(db: Db): Promise<number | undefined> {
  const found = await versionCollection(db).findOne({ _id: ID }, { ...NEWEST, projection: { version: 1 } });
  return found?.version;
}

/** Notes a change of `tags`, acknowledged by a majority. Returns how long processes may rely on what they read before. */
export async function noteChange(db: Db, tags: readonly string[], leaseMs: number): Promise<number> {
  return upserting(() => noteChangeOnce(db, tags, leaseMs));
}

/** Rejects with a duplicate key where another call notes the first change of all at the same time. */
async function noteChangeOnce(db: Db, tags: readonly string[], leaseMs: number): Promise<number> {
  const next = { $add: [{ $ifNull: ['$version', 0] }, 1] };
  const added = { $map: { input: { $literal: tags }, in: { version: '$version', tag: '$$this' } } };
  const kept = { $slice: [{ $concatArrays: [{ $ifNull: ['$changes', []] }, added] }, -MAX_CHANGES] };
  const noted = await versionCollection(db).findOneAndUpdate(
    { _id: ID },
    [{ $set: { version: next, leaseMs: { $ifNull: ['$leaseMs', leaseMs] } } }, { $set: { changes: kept } }],
    { upsert: true, returnDocument: 'after', projection: { leaseMs: 1 } },
  );
  return noted?.leaseMs ?? leaseMs;
}

/**
 * Makes leases at least `leaseMs` long. It is the database that says how long they are, so that a writer waits for the leases of
 * all processes, whatever their settings; never shorter, because a writer would then not wait for one that was given before.
 */
export async function raiseLease(db: Db, leaseMs: number): Promise<void> {
  await upserting(() =>
    versionCollection(db).updateOne(
      { _id: ID },
      { $max: { leaseMs }, $setOnInsert: { version: 0, changes: [] } },
      { upsert: true },
    ),
  );
}

/** Of upserts that race, one inserts; the others find what it has inserted. */
async function upserting<T>(upsert: () => Promise<T>): Promise<T> {
  try {
    return await upsert();
  } catch (err) {
    if (!isDuplicateKey(err)) throw err;
    return upsert();
  }
}
