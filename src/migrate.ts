import { migrate, planOfMigration } from './database/collections.ts';
import { isPending } from './database/migrate.service.ts';
import { dryRunText, statusText } from './database/migration-text.ts';
import { createDb, openDb, PATIENT } from './platform/mongo.ts';
import { optionsOrExit } from './process/arguments.ts';
import { runProcess } from './process/lifecycle.ts';

const boolean = { type: 'boolean', default: false } as const;
const { status, 'dry-run': dryRun } = optionsOrExit(
  { status: boolean, 'dry-run': boolean },
  'npm run migrate [-- --status | --dry-run]',
  (values) => (values.status && values['dry-run'] ? '--status and --dry-run are two commands' : undefined),
);
const isReading = status || dryRun;

/**
 * `npm run migrate`: makes collections, validators and indexes, runs the steps that are pending, then ends. Run it before the first
 * start and each upgrade. `--status` prints what was applied and is pending, with exit code 1 where something is; `--dry-run`
 * prints what would be done. Neither writes.
 */
runProcess(
  'migrate',
  async ({ config, log, stopping, onStop, stop }) => {
    const db = createDb();
    onStop('MongoDB', () => db.close());
    const opened = openDb(db, config.mongodbUri, log, stopping, PATIENT);
    if (isReading) {
      await opened;
      const plan = await planOfMigration(db);
      process.stdout.write(`${status ? statusText(plan) : dryRunText(plan)}\n`);
      setImmediate(stop, status && isPending(plan) ? 1 : 0);
      return {};
    }
    const work = opened.then(() => migrate(db, { log, stopping }));
    let isDone = false;
    onStop('migration', async () => {
      await work.catch(() => undefined);
      if (!isDone) stop(1);
    });
    await work;
    isDone = true;
    setImmediate(stop);
    return { migrated: true };
  },
  isReading ? 'warn' : undefined,
);
