import { parseArgs } from 'node:util';
import { createDb, openDb } from './platform/mongo.ts';
import { runProcess } from './process/lifecycle.ts';
import { KINDS } from './retention/kinds.ts';
import { openArchive } from './retention/open-archive.ts';
import type { RestoreWanted } from './retention/restore.service.ts';
import { restoreArchive } from './retention/restore.service.ts';

const USAGE = `npm run restore-archive -- [--from URL] [--collection NAME] [--since INSTANT] [--until INSTANT]
  --from        the archive, file:///folder or s3://bucket/prefix; ARCHIVE_URL unless given
  --collection  ${KINDS.map(({ name }) => name).join(', ')}; all unless given
  --since       the first and last instant, such as 2026-03-01 or 2026-03-01T18:00:00Z, of
  --until       holds and their expiry, bookings and their slot's start, events, deliveries, dead letters, audit`;

/**
 * Puts archived rows back, says what it did, and ends: with exit code 0 only where nothing was left out. Everything else
 * may run meanwhile, and it may be run again (ADR 0052).
 */
runProcess('restore-archive', async ({ config, log, stopping, onStop, stop }) => {
  const { from = config.archiveUrl, wanted } = readArguments(process.argv.slice(2));
  if (from === undefined) throw new Error(`There is no archive: give --from or set ARCHIVE_URL\n${USAGE}`);
  const archive = openArchive(from, config);
  const db = createDb();
  onStop('MongoDB', () => db.close());
  const work = openDb(db, config.mongodbUri, log, stopping).then(() =>
    restoreArchive({ db, log, archive }, wanted, stopping),
  );
  onStop('restore', async () => {
    const isDone = await work.then(
      (report) => report.isDone,
      () => false,
    );
    if (!isDone) stop(1);
  });
  const { isDone, ...counts } = await work;
  if (counts.restored > 0)
    log.warn('what was put back is over, so the next purge takes it again: see docs/retention.md to keep it');
  setImmediate(stop);
  return { is_done: isDone, ...counts };
});

/** @throws Error with the usage */
function readArguments(args: string[]): { from?: string; wanted: RestoreWanted } {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { from: text, collection: text, since: text, until: text } });
  const collection = KINDS.find(({ name }) => name === values.collection)?.name;
  if (values.collection !== undefined && collection === undefined)
    throw new Error(`--collection ${values.collection} is none of those that are archived\n${USAGE}`);
  const [since, until] = [instantOf('since', values.since), instantOf('until', values.until)];
  return {
    ...(values.from === undefined ? {} : { from: values.from }),
    wanted: {
      ...(collection === undefined ? {} : { collection }),
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
    },
  };
}

function instantOf(option: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const instant = new Date(text);
  if (Number.isNaN(instant.getTime())) throw new Error(`--${option} ${text} is no instant\n${USAGE}`);
  return instant;
}
