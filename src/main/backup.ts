import { backUp } from '../operations/database/backup.service.ts';
import { optionsOrExit } from '../process/arguments.ts';
import { runCommand } from '../process/command.ts';

const { to = '' } = optionsOrExit({ to: { type: 'string' } }, 'npm run backup -- --to FOLDER', (values) =>
  values.to === undefined ? '--to is missing: name the folder to write into' : undefined,
);

/** `npm run backup -- --to FOLDER`: writes a snapshot of the database into a new folder while the service runs. */
runCommand('backup', async ({ log, stopping, openDatabase }) => {
  const db = await openDatabase();
  const beganAt = performance.now();
  const { takenAt, encryptionKeyIds, collections } = await backUp({ db, log }, to, stopping);
  const sumOf = (field: 'documents' | 'bytes') => collections.reduce((sum, each) => sum + each[field], 0);
  const report = {
    backed_up: true,
    folder: to,
    taken_at: takenAt,
    duration_ms: Math.round(performance.now() - beganAt),
    documents: sumOf('documents'),
    bytes: sumOf('bytes'),
    encryption_key_ids: encryptionKeyIds,
  };
  return { isDone: true, report };
});
