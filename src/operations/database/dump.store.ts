import mongoose from 'mongoose';
import { type Db, DURABLE, inSnapshot, openCollection, type Snapshot } from '../../platform/mongo.ts';

/** The collections of the database by name, without views and system collections. */
export async function listCollectionNames(db: Db): Promise<string[]> {
  const collections = (await db.db?.listCollections({}, { nameOnly: true }).toArray()) ?? [];
  return collections
    .filter(({ name, type }) => type !== 'view' && !name.startsWith('system.'))
    .map(({ name }) => name)
    .toSorted();
}

/** Every document of a collection in the snapshot, as stored: BSON, each number in its own type. */
export function readDocuments(db: Db, name: string, snapshot: Snapshot): AsyncIterable<Buffer> {
  const options = { ...inSnapshot(snapshot), raw: true, batchSize: 1000 };
  return openCollection(db, name).find({}, options) as unknown as AsyncIterable<Buffer>;
}

/** Inserts new documents, acknowledged by a majority without a time limit. */
export async function insertDocuments(db: Db, name: string, documents: readonly Buffer[]): Promise<void> {
  // Keep the types of numbers: a validator tells an int from a double.
  const types = { promoteValues: false, promoteBuffers: false };
  const rows = documents.map((each) => mongoose.mongo.BSON.deserialize(each, types));
  await openCollection(db, name).insertMany(rows, { ordered: false, writeConcern: DURABLE });
}

/** The names of collections with documents, except those that a migration fills. */
export async function listFilled(db: Db): Promise<string[]> {
  const names = (await listCollectionNames(db)).filter((name) => !FILLED_BY_MIGRATION.has(name));
  const samples = await Promise.all(names.map((name) => openCollection(db, name).findOne({})));
  return names.filter((_name, index) => samples[index] !== null);
}

const FILLED_BY_MIGRATION = new Set(['migrations', 'leases']);

export async function dropDatabase(db: Db): Promise<void> {
  await db.db?.dropDatabase();
}

/** Whether MongoDB has dropped the snapshot, which is older than `minSnapshotHistoryWindowInSeconds`. */
export const isSnapshotTooOld = (err: unknown): boolean => (err as { code?: unknown } | null)?.code === 239;
