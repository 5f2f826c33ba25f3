import { restore } from '../operations/database/restore.service.ts';
import { optionsOrExit } from '../process/arguments.ts';
import { runCommand } from '../process/command.ts';

const { from = '', replace } = optionsOrExit(
  { from: { type: 'string' }, replace: { type: 'string' } },
  'npm run restore -- --from FOLDER [--replace NAME_OF_THE_DATABASE]',
  (values) => (values.from === undefined ? '--from is missing: name the folder of the backup' : undefined),
);

/**
 * `npm run restore -- --from FOLDER`: restores a backup into an empty database, or one that `--replace` names and
 * empties, with the indexes and validators of this release. No other process may run meanwhile
 * (docs/disaster-recovery.md).
 */
runCommand('restore', async ({ log, stopping, openDatabase }) => {
  const db = await openDatabase();
  const beganAt = performance.now();
  const { takenAt, encryptionKeyIds } = await restore({ db, log }, { folder: from, replace }, stopping);
  const report = {
    restored: true,
    taken_at: takenAt,
    duration_ms: Math.round(performance.now() - beganAt),
    encryption_key_ids: encryptionKeyIds,
  };
  return { isDone: true, report };
});
