import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import { type AgedRow, fromLine, type Restored, restoreRows } from './aged-rows.store.ts';
import type { Archive } from './archive.ts';
import { objectsBetween } from './archived-objects.rules.ts';
import { KINDS, type Kind } from './kinds.ts';

type RestoreDeps = { db: Db; log: Logger; archive: Archive };

/** The rows to restore. `since` and `until`, both included, limit the rows' instant (`rule.instant` of their kind). */
export type RestoreFilter = { collection?: Kind['name']; since?: Date; until?: Date };

type RestoreReport = {
  restored: number;
  present: number;
  /** Rows left out because another row has one of their unique values: claimed cell, idempotency key. */
  conflicting: number;
  /** Rows rejected by the database, and unreadable objects. */
  failed: number;
  /** False if the restore was stopped, or if any row is conflicting or failed. */
  isDone: boolean;
};

const decompress = promisify(gunzip);

/**
 * Restores archived rows unchanged, while the service runs. Existing rows stay, so a restore can be repeated. A row
 * is skipped and logged if another row has its slot or key.
 */
export async function restoreArchive(
  deps: RestoreDeps,
  { collection, since, until }: RestoreFilter,
  stopping: AbortSignal,
): Promise<RestoreReport> {
  const report = { restored: 0, present: 0, conflicting: 0, failed: 0 };
  for (const kind of KINDS.filter(({ name }) => collection === undefined || name === collection)) {
    const names = await deps.archive.list(`${kind.name}/`, stopping);
    for (const { name } of objectsBetween(names, since, until)) {
      if (stopping.aborted) return { ...report, isDone: false };
      const rows = await readObject(deps, name, stopping);
      if (rows === undefined) report.failed += 1;
      const rowsInRange = (rows ?? []).filter((row) => isBetween(row[kind.rule.instant], since, until));
      const outcomes = await restoreRows(deps.db, kind.rule.collection, rowsInRange);
      for (const [index, outcome] of outcomes.entries())
        report[countOf(deps, name, rowsInRange[index]?._id, outcome)] += 1;
    }
    deps.log.info({ collection: kind.name, ...report }, 'archived rows restored');
  }
  return { ...report, isDone: report.conflicting + report.failed === 0 };
}

/**
 * The rows of an object; undefined, and logged, if it is damaged or missing. Rejects if the archive cannot be reached.
 */
async function readObject(
  { archive, log }: RestoreDeps,
  name: string,
  stopping: AbortSignal,
): Promise<AgedRow[] | undefined> {
  const content = await archive.get(name, stopping);
  if (content === undefined) {
    log.error({ object: name }, 'an archived object was removed since it was listed, and was skipped');
    return undefined;
  }
  try {
    const lines = String(await decompress(content)).split('\n');
    return lines.filter((line) => line !== '').map(fromLine);
  } catch (err) {
    log.error({ object: name, error: (err as Error).message }, 'an archived object is damaged, and was skipped');
    return undefined;
  }
}

function isBetween(instant: unknown, since: Date | undefined, until: Date | undefined): boolean {
  if (!(instant instanceof Date)) return false;
  return (since === undefined || instant >= since) && (until === undefined || instant <= until);
}

/** The field of the report that counts an outcome; logs a row that was skipped. */
function countOf(
  { log }: RestoreDeps,
  object: string,
  id: string | undefined,
  outcome: Restored,
): 'restored' | 'present' | 'conflicting' | 'failed' {
  if (outcome === 'conflicting')
    log.warn({ object, id }, 'a row was skipped: another row has its idempotency key, its slot or its id');
  if (!(outcome instanceof Error)) return outcome;
  log.error({ object, id, error: outcome.message }, 'a row was skipped: the database rejects it');
  return 'failed';
}
