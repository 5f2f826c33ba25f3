import { migrate } from '../operations/database/migrate.service.ts';
import { isPending, planMigration } from '../operations/database/migration-plan.service.ts';
import { dryRunText, statusText } from '../operations/database/migration-text.ts';
import { optionsOrExit } from '../process/arguments.ts';
import { runCommand } from '../process/command.ts';

const flag = { type: 'boolean', default: false } as const;
const { status, 'dry-run': dryRun } = optionsOrExit(
  { status: flag, 'dry-run': flag },
  'npm run migrate [-- --status | --dry-run]',
  (values) => (values.status && values['dry-run'] ? 'Give --status or --dry-run, not both.' : undefined),
);
const isReadOnly = status || dryRun;

/**
 * `npm run migrate`: creates collections, validators and indexes and runs pending steps; run it before the first start
 * and each upgrade. `--status` prints the steps, with exit code 1 if some are pending; `--dry-run` prints what would be
 * done.
 */
runCommand(
  'migrate',
  async ({ log, stopping, openDatabase }) => {
    const db = await openDatabase();
    if (!isReadOnly) {
      await migrate(db, { log, stopping });
      return { isDone: true, report: { migrated: true } };
    }
    const plan = await planMigration(db);
    process.stdout.write(`${status ? statusText(plan) : dryRunText(plan)}\n`);
    return { isDone: !(status && isPending(plan)), report: {} };
  },
  isReadOnly ? 'warn' : undefined,
);
