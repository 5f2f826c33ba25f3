import { restore } from './database/restore.service.ts';
import { createDb, openDb, PATIENT } from './platform/mongo.ts';
import { optionsOrExit } from './process/arguments.ts';
import { runProcess } from './process/lifecycle.ts';

const { from = '', replace } = optionsOrExit(
  { from: { type: 'string' }, replace: { type: 'string' } },
  'npm run restore -- --from FOLDER [--replace NAME_OF_THE_DATABASE]',
  (values) => (values.from === undefined ? '--from names the folder of the backup' : undefined),
);

/**
 * `npm run restore -- --from FOLDER`: makes an empty database what the backup has, with indexes and validators of this release, then
 * ends. No other process may run meanwhile (docs/disaster-recovery.md).
 */
runProcess('restore', async ({ config, log, stopping, onStop, stop }) => {
  const db = createDb();
  onStop('MongoDB', () => db.close());
  await openDb(db, config.mongodbUri, log, stopping, PATIENT);
  const beganAt = performance.now();
  const { takenAt, encryptionKeyIds } = await restore({ db, log }, { folder: from, replace }, stopping);
  setImmediate(stop);
  return {
    ...{ restored: true, taken_at: takenAt, duration_ms: Math.round(performance.now() - beganAt) },
    encryption_key_ids: encryptionKeyIds,
  };
});
