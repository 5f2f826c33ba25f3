import { type Db, openCollection } from '../../platform/mongo.ts';
import { definitionOf, mixed, OPTIONAL, schemaOf } from '../../platform/mongo-schema.ts';

/** A step that has begun; it is applied once it has `finishedAt`. `_id` is its version. */
export type StepRecord = {
  _id: number;
  name: string;
  /** For a contract step, the first release that does not use what the step removed; older ones can no longer run. */
  unusedSince?: string;
  /** The release that last ran the step. */
  release: string;
  startedAt: Date;
  finishedAt?: Date;
  durationMs?: number;
  /** How many rows or indexes all runs of the step have changed. */
  changed: number;
};

/** The release of the database's collections, validators and indexes. `from`: the release before it. */
export type Structure = { _id: 'structure'; release: string; from?: string; at: Date };

const migrationSchema = schemaOf('migrations', {
  _id: { ...mixed<number | 'structure'>(), required: true },
  name: OPTIONAL.text,
  unusedSince: OPTIONAL.text,
  release: OPTIONAL.text,
  startedAt: OPTIONAL.date,
  finishedAt: OPTIONAL.date,
  durationMs: OPTIONAL.number,
  changed: OPTIONAL.number,
  from: OPTIONAL.text,
  at: OPTIONAL.date,
} satisfies Record<keyof StepRecord | keyof Structure, object>);

export const MIGRATIONS = definitionOf(migrationSchema);

const stepCollection = (db: Db) => openCollection<StepRecord>(db, MIGRATIONS.name);
const structureCollection = (db: Db) => openCollection<Structure>(db, MIGRATIONS.name);

/** Every step that has begun, by version. */
export async function findStepRecords(db: Db): Promise<StepRecord[]> {
  return stepCollection(db)
    .find({ _id: { $type: 'int' } })
    .sort({ _id: 1 })
    .toArray();
}

export async function findStructure(db: Db): Promise<Structure | null> {
  return structureCollection(db).findOne({ _id: 'structure' });
}

export async function saveStructure(db: Db, release: string, previous: string | undefined): Promise<void> {
  const set = { release, ...(previous === undefined ? {} : { from: previous }) };
  await structureCollection(db).updateOne({ _id: 'structure' }, [{ $set: { ...set, at: '$$NOW' } }], {
    upsert: true,
  });
}

export async function noteBegun(
  db: Db,
  { _id, ...fields }: Pick<StepRecord, '_id' | 'name' | 'release' | 'unusedSince'>,
): Promise<void> {
  const set = { ...fields, startedAt: '$$NOW', changed: { $ifNull: ['$changed', 0] } };
  await stepCollection(db).updateOne({ _id }, [{ $set: set }, { $unset: 'finishedAt' }], { upsert: true });
}

export async function noteFinished(db: Db, _id: number, changed: number): Promise<void> {
  const durationMs = { $dateDiff: { startDate: '$startedAt', endDate: '$$NOW', unit: 'millisecond' } };
  await stepCollection(db).updateOne({ _id }, [
    { $set: { finishedAt: '$$NOW', durationMs, changed: { $add: ['$changed', changed] } } },
  ]);
}

/** Whether the database has no collection: no release has used it. */
export async function isUnused(db: Db): Promise<boolean> {
  const collections = await db.db?.listCollections({}, { nameOnly: true }).toArray();
  return collections?.length === 0;
}
