import { openArchive } from '../operations/retention/archive.ts';
import { KINDS } from '../operations/retention/kinds.ts';
import { type RestoreFilter, restoreArchive } from '../operations/retention/restore.service.ts';
import { isCalendarDate, parseInstant } from '../platform/calendar.ts';
import { omitUndefined } from '../platform/objects.ts';
import { Refusal } from '../platform/server-requirements.rules.ts';
import { optionsOrExit } from '../process/arguments.ts';
import { runCommand } from '../process/command.ts';
import { archiveUrl } from '../process/config/setting-values.ts';

const USAGE = `node dist/src/main/restore-archive.js [--from URL] [--collection NAME] [--since INSTANT] [--until INSTANT]
  --from        the archive, file:///folder or s3://bucket/prefix; ARCHIVE_URL unless given
  --collection  ${KINDS.map(({ name }) => name).join(', ')}; all unless given
  --since       the first instant to restore, such as 2026-03-01 or 2026-03-01T18:00:00Z
  --until       the last instant to restore; a date includes its whole day (UTC)

The instant of a hold is its expiry. The instant of a booking is the start of its slot. The instant of a dead letter is
the time when it became one. The instant of any other row is its creation.`;

type Options = Partial<Record<'from' | 'collection' | 'since' | 'until', string>>;

const DAY_START = 'T00:00:00.000Z';
const DAY_END = 'T23:59:59.999Z';
const text = { type: 'string' } as const;
const options: Options = optionsOrExit({ from: text, collection: text, since: text, until: text }, USAGE, faultOf);

/** Restores archived rows while the service runs; exits with 0 only if it skipped no row (ADR 0021). Safe to repeat. */
runCommand('restore-archive', async ({ config, log, stopping, openDatabase }) => {
  const from = options.from ?? config.archiveUrl;
  if (from === undefined) throw new Refusal('There is no archive: give --from, or set ARCHIVE_URL.');
  const { archiveAccessKeyId: id, archiveSecretAccessKey: secret } = config;
  if (from.startsWith('s3:') && (id === undefined || secret === undefined))
    throw new Refusal('A bucket needs ARCHIVE_ACCESS_KEY_ID and ARCHIVE_SECRET_ACCESS_KEY: set both.');
  const archive = openArchive(from, config);
  const db = await openDatabase();
  const { isDone, ...counts } = await restoreArchive({ db, log, archive }, filterOf(options), stopping);
  if (counts.restored > 0)
    log.warn('the next purge deletes the restored rows again: see docs/retention.md to keep them');
  return { isDone, report: { is_done: isDone, ...counts } };
});

function faultOf({ from, collection, since, until }: Options): string | undefined {
  try {
    if (from !== undefined) archiveUrl(from);
  } catch (err) {
    return `--from ${(err as Error).message}`;
  }
  if (collection !== undefined && !KINDS.some(({ name }) => name === collection))
    return `--collection ${collection} is not an archived collection`;
  for (const [option, instant] of Object.entries({ since, until }))
    if (instant !== undefined && instantOf(instant, DAY_START) === undefined)
      return `--${option} ${instant} is not an instant`;
  return undefined;
}

function filterOf({ collection, since, until }: Options): RestoreFilter {
  const kind = KINDS.find(({ name }) => name === collection);
  return omitUndefined({
    collection: kind?.name,
    since: since === undefined ? undefined : instantOf(since, DAY_START),
    until: until === undefined ? undefined : instantOf(until, DAY_END),
  });
}

/** The instant that an option names; for a date, its start or end. */
function instantOf(option: string, timeOfDay: string): Date | undefined {
  return parseInstant(isCalendarDate(option) ? `${option}${timeOfDay}` : option);
}
