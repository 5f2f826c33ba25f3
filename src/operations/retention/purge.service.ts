import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { readDatabaseTime } from '../../platform/clock.ts';
import { groupBy } from '../../platform/group-by.ts';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import { counter } from '../../platform/process-metrics.ts';
import type { SweptPage } from '../../platform/sweep.ts';
import {
  type AgedPosition,
  type AgedRow,
  type CutOff,
  deleteAgedRows,
  findAgedRows,
  findCutOff,
  toLine,
} from './aged-rows.store.ts';
import type { Archive } from './archive.ts';
import { dayOf, objectName } from './archived-objects.rules.ts';
import { daysKept, KINDS, type Kind, type RetentionConfig } from './kinds.ts';
import { forgetPurge, notePurge } from './purges.store.ts';

type PurgeDeps = {
  db: Db;
  log: Logger;
  config: RetentionConfig;
  /** Without an archive, purged rows are gone. */
  archive?: Archive | undefined;
};

/** Rows that are read, archived and deleted in one batch. */
const PAGE = 200;
/** After a page, rest this many times as long as the page took, within the limits below. */
const REST_FACTOR = 4;
const MIN_REST_MS = 20;
const MAX_REST_MS = 5000;

const LOG_EVERY_MS = 60_000;

const compress = promisify(gzip);

const purgedTotal = counter({
  name: 'retention_purged_total',
  help: 'Rows that this process deleted after their retention, by collection.',
  labelNames: ['collection'],
});

/** A run in progress, which continues page by page. */
export type PurgeRun = AsyncGenerator<void, void>;

/** Purges the next page of a run, or the first page of a new run. A sweep calls this. */
export async function purgeNext(
  deps: PurgeDeps,
  stopping: AbortSignal,
  run: PurgeRun = purge(deps, stopping),
): Promise<SweptPage<PurgeRun>> {
  const { done } = await run.next();
  return { count: 0, next: done === true ? undefined : run };
}

/**
 * Deletes rows after their retention, page by page, with a rest after each page. With an archive, a row is deleted once
 * it is archived durably; after a failure it stays and is archived again. A kind that fails waits for the next run;
 * other kinds continue.
 */
async function* purge(deps: PurgeDeps, stopping: AbortSignal): PurgeRun {
  const { db, log } = deps;
  const purged: Record<string, number> = {};
  let hasFailed = false;
  let loggedAt = performance.now();
  for (const kind of KINDS) {
    const days = daysKept(kind, deps.config);
    try {
      if (days === 0) {
        await forgetPurge(db, kind.name);
        continue;
      }
      await notePurge(db, kind.name, 'tried');
      const cutOff = await findCutOff(db, days);
      for (let position: AgedPosition | undefined; ; ) {
        const beganAt = performance.now();
        const page = await purgePage(deps, kind, { cutOff, position }, stopping);
        purged[kind.name] = (purged[kind.name] ?? 0) + page.count;
        if (page.position === undefined) break;
        position = page.position;
        if (performance.now() - loggedAt >= LOG_EVERY_MS) {
          log.info({ collection: kind.name, purged }, 'rows are being purged');
          loggedAt = performance.now();
        }
        const restMs = Math.max(MIN_REST_MS, (performance.now() - beganAt) * REST_FACTOR);
        await delay(Math.min(restMs, MAX_REST_MS), undefined, { signal: stopping }).catch(() => undefined);
        yield;
      }
      await notePurge(db, kind.name, 'completed');
    } catch (err) {
      if (stopping.aborted) return;
      hasFailed = true;
      log.warn(
        { collection: kind.name, error: (err as Error).message },
        'rows could not be purged: they stay until the next run',
      );
    }
    yield;
  }
  const rows = Object.values(purged).reduce((sum, each) => sum + each, 0);
  if (rows > 0 || hasFailed) log.info({ purged, has_failed: hasFailed }, 'rows were purged');
}

/** Purges the page after `position`. The result's `position` is the page's end; if it is absent, no rows follow. */
async function purgePage(
  deps: PurgeDeps,
  kind: Kind,
  { cutOff, position }: { cutOff: CutOff; position: AgedPosition | undefined },
  stopping: AbortSignal,
): Promise<{ count: number; position?: AgedPosition }> {
  const { rule } = kind;
  const { before } = cutOff;
  const { rows, windowEnd } = await findAgedRows(deps.db, rule, before, position, PAGE);
  const needed = (await kind.findNeeded?.(deps.db, rows, before)) ?? new Set<string>();
  const deletable = rows.filter(({ _id }) => !needed.has(_id));
  if (deps.archive !== undefined) await archiveRows(deps, deps.archive, kind, deletable, stopping);
  const ids = deletable.map(({ _id }) => _id);
  const count = ids.length === 0 ? 0 : await deleteAgedRows(deps.db, rule, cutOff, ids);
  purgedTotal(deps.db).inc({ collection: kind.name }, count);
  const last = rows.at(-1);
  if (last === undefined || rows.length < PAGE)
    return windowEnd === undefined ? { count } : { count, position: { value: windowEnd } };
  // The next page begins at the last value. It must skip the rows with that value that have to stay.
  const value = last[rule.field];
  const neededNow = rows.filter((row) => needed.has(row._id) && isSame(row[rule.field], value)).map(({ _id }) => _id);
  const neededBefore = isSame(position?.value, value) ? (position?.neededIds ?? []) : [];
  return { count, position: { value, neededIds: [...neededBefore, ...neededNow], windowEnd } };
}

const isSame = (a: unknown, b: unknown): boolean =>
  a instanceof Date && b instanceof Date ? a.getTime() === b.getTime() : a === b;

async function archiveRows(
  { db }: PurgeDeps,
  archive: Archive,
  { name, rule }: Kind,
  rows: readonly AgedRow[],
  stopping: AbortSignal,
): Promise<void> {
  // Use the database's clock: if a row was archived twice, a restore takes the later copy.
  const archivedAt = await readDatabaseTime(db);
  const rowsByDay = groupBy(rows, (row) => dayOf(row[rule.instant] as Date));
  for (const [day, rowsOfDay] of rowsByDay) {
    const content = await compress(`${rowsOfDay.map(toLine).join('\n')}\n`);
    const [{ _id: firstId } = { _id: '' }] = rowsOfDay;
    const object = { day, firstId, archivedAt, random: newId().slice(-8) };
    await archive.put(objectName(name, object), content, stopping);
  }
}
