import { skipSequenceNumbers } from '../../events/sequence-numbers.store.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import { BackupError, type Manifest, readBatches, readManifest, requireIntact } from './backup-files.ts';
import { dropDatabase, insertDocuments, listFilled } from './dump.store.ts';
import { migrate } from './migrate.service.ts';
import { compareReleases, RELEASE } from './release.ts';

/** A batch may exceed `bytes` by one document of 16 MB; MongoDB allows 48 MB for a command. */
const BATCH = { count: 1000, bytes: 8_000_000 };

/**
 * More than the events between backup and restore (eleven days at 1000 events a second). A partner's feed cursor may be
 * ahead of the backup, and would skip new events with lower sequence numbers.
 */
const SKIPPED_NUMBERS = 1_000_000_000;

type RestoreOptions = {
  folder: string;
  /** The name of the database, to confirm that all its contents may be deleted first. */
  replace: string | undefined;
};

/**
 * Makes the database equal to the backup (ADR 0021). No process of the service may run meanwhile. Files are verified
 * first. Guards are created last, so nothing is sold before everything is restored. Repeat a failed run with `replace`.
 * @throws BackupError before any change: for damaged files, a backup of a newer release, or a database that is not
 * empty
 */
export async function restore(
  { db, log }: { db: Db; log: Pick<Logger, 'info' | 'warn'> },
  { folder, replace }: RestoreOptions,
  stopping: AbortSignal,
): Promise<Manifest> {
  const manifest = await readManifest(folder);
  if (compareReleases(manifest.release, RELEASE) > 0)
    throw new BackupError(`Release ${manifest.release} made this backup. Restore it with that release or a newer one.`);
  await requireIntact(folder, manifest, stopping);
  await requireReplaceable(db, replace);
  await dropDatabase(db);
  for (const dumped of manifest.collections) {
    let count = 0;
    for await (const batch of readBatches(folder, dumped, BATCH)) {
      stopping.throwIfAborted();
      await insertDocuments(db, dumped.name, batch);
      count += batch.length;
    }
    if (count !== dumped.documents)
      throw new Error(`${dumped.file} has ${count} documents instead of ${dumped.documents}`);
    log.info({ collection: dumped.name, documents: count }, 'collection restored');
  }
  await skipSequenceNumbers(db, SKIPPED_NUMBERS);
  await migrate(db, { log, stopping });
  return manifest;
}

async function requireReplaceable(db: Db, replace: string | undefined): Promise<void> {
  const filled = await listFilled(db);
  if (filled.length === 0 || replace === db.name) return;
  if (replace !== undefined)
    throw new BackupError(`MONGODB_URI names the database ${db.name}, and --replace names ${replace}.`);
  throw new BackupError(
    `The database ${db.name} is not empty: it has documents in ${filled.slice(0, 5).join(', ')}. Take a backup of it, then say that all of it is to be deleted: --replace ${db.name}`,
  );
}
