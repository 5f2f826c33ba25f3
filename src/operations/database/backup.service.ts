import { readDatabaseTime } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { type Db, readingSnapshot, type Snapshot } from '../../platform/mongo.ts';
import { countSealings } from '../../webhooks/subscriptions/secrets.store.ts';
import {
  BackupError,
  type DumpedCollection,
  type Manifest,
  makeFolder,
  writeDocuments,
  writeManifest,
} from './backup-files.ts';
import { isSnapshotTooOld, listCollectionNames, readDocuments } from './dump.store.ts';
import { RELEASE } from './release.ts';

/**
 * Writes a snapshot of the database into a new folder while the service runs (ADR 0021).
 * @throws BackupError if the folder is not empty, or MongoDB drops the snapshot before the end
 */
export async function backUp(
  { db, log }: { db: Db; log: Pick<Logger, 'info'> },
  folder: string,
  stopping: AbortSignal,
): Promise<Manifest> {
  await makeFolder(folder);
  const beganAt = performance.now();
  const takenAt = await readDatabaseTime(db);
  const [names, encryptionKeyIds] = await Promise.all([listCollectionNames(db), keyIdsInUse(db)]);
  const collections = await readingSnapshot(db, async (snapshot) => {
    const dumped: DumpedCollection[] = [];
    for (const name of names) {
      stopping.throwIfAborted();
      const written = await writeCollection(db, folder, name, { snapshot, beganAt, stopping });
      log.info({ collection: name, documents: written.documents, bytes: written.bytes }, 'collection written');
      dumped.push(written);
    }
    return dumped;
  });
  const manifest: Manifest = {
    format: 1,
    release: RELEASE,
    database: db.name,
    takenAt: takenAt.toISOString(),
    encryptionKeyIds,
    collections,
  };
  await writeManifest(folder, manifest);
  return manifest;
}

async function writeCollection(
  db: Db,
  folder: string,
  name: string,
  { snapshot, beganAt, stopping }: { snapshot: Snapshot; beganAt: number; stopping: AbortSignal },
): Promise<DumpedCollection> {
  try {
    return await writeDocuments(folder, name, readDocuments(db, name, snapshot), stopping);
  } catch (err) {
    if (!isSnapshotTooOld(err)) throw err;
    const seconds = Math.round((performance.now() - beganAt) / 1000);
    throw new BackupError(
      `MongoDB no longer has the snapshot of the backup, ${seconds} s after it began. Raise the limit on every member: db.adminCommand({ setParameter: 1, minSnapshotHistoryWindowInSeconds: 3600 }). Then begin again.`,
    );
  }
}

async function keyIdsInUse(db: Db): Promise<string[]> {
  const sealings = [...(await countSealings(db)).keys()];
  return [...new Set(sealings.map((sealing) => sealing.slice(sealing.indexOf('.') + 1)))].toSorted();
}
