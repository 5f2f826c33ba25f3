import { backUp } from './database/backup.service.ts';
import { createDb, openDb, PATIENT } from './platform/mongo.ts';
import { optionsOrExit } from './process/arguments.ts';
import { runProcess } from './process/lifecycle.ts';

const { to = '' } = optionsOrExit({ to: { type: 'string' } }, 'npm run backup -- --to FOLDER', (values) =>
  values.to === undefined ? '--to names the folder to write into' : undefined,
);

/** `npm run backup -- --to FOLDER`: writes the database as it is at one moment into a new folder, then ends. Everything else may run meanwhile. */
runProcess('backup', async ({ config, log, stopping, onStop, stop }) => {
  const db = createDb();
  onStop('MongoDB', () => db.close());
  await openDb(db, config.mongodbUri, log, stopping, PATIENT);
  const beganAt = performance.now();
  const { takenAt, encryptionKeyIds, collections } = await backUp({ db, log }, to, stopping);
  setImmediate(stop);
  const sumOf = (field: 'documents' | 'bytes') => collections.reduce((sum, each) => sum + each[field], 0);
  return {
    ...{
      backed_up: true,
      folder: to,
      taken_at: takenAt,
      duration_ms: Math.round(performance.now() - beganAt),
    },
    ...{ documents: sumOf('documents'), bytes: sumOf('bytes'), encryption_key_ids: encryptionKeyIds },
  };
});
