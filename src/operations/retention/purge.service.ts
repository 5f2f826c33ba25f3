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
import { forgetPurge, notePurgeCompleted, notePurgeTried } from './purges.store.ts';

export type PurgeDeps = {
  db: Db;
  log: Logger;
  config: RetentionConfig;
  /** Without an archive, purged rows are gone. */
  archive?: Archive | undefined;
};

/** Rows that are read, archived and deleted in one batch. */
const PAGE = 200;
/** After a page, rest this many times as long: a purge uses a fifth of one connection at most. */
const REST = 4;
const REST_AT_LEAST_MS = 20;
const REST_AT_MOST_MS = 5000;

const SAY_EVERY_MS = 60_000;

const compress = promisify(gzip);

const purgedTotal = counter({
  name: 'retention_purged_total',
  help: 'Rows that this process deleted after their retention, by collection.',
  labelNames: ['collection'],
});

/** A run in progress, which continues page by page. */
export type PurgeRun = AsyncGenerator<void, void>;

/** The next page of a run, as a sweep asks for it. */
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
  let saidAt = performance.now();
  for (const kind of KINDS) {
    const days = daysKept(kind, deps.config);
    try {
      if (days === 0) {
        await forgetPurge(db, kind.name);
        continue;
      }
      await notePurgeTried(db, kind.name);
      const cutOff = await findCutOff(db, days);
      for (let at: AgedPosition | undefined; ; ) {
        const beganAt = performance.now();
        const page = await purgePage(deps, kind, { cutOff, at }, stopping);
        purged[kind.name] = (purged[kind.name] ?? 0) + page.count;
        if (page.at === undefined) break;
        at = page.at;
        if (performance.now() - saidAt >= SAY_EVERY_MS) {
          log.info({ collection: kind.name, purged }, 'rows are being purged');
          saidAt = performance.now();
        }
        const restMs = Math.max(REST_AT_LEAST_MS, (performance.now() - beganAt) * REST);
        await delay(Math.min(restMs, REST_AT_MOST_MS), undefined, { signal: stopping }).catch(() => undefined);
        yield;
      }
      await notePurgeCompleted(db, kind.name);
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

async function purgePage(
  deps: PurgeDeps,
  kind: Kind,
  { cutOff, at }: { cutOff: CutOff; at: AgedPosition | undefined },
  stopping: AbortSignal,
): Promise<{ count: number; at?: AgedPosition }> {
  const { rule } = kind;
  const { before } = cutOff;
  const { rows, windowEnd } = await findAgedRows(deps.db, rule, before, at, PAGE);
  const needed = (await kind.findNeeded?.(deps.db, rows, before)) ?? new Set<string>();
  const gone = rows.filter(({ _id }) => !needed.has(_id));
  if (deps.archive !== undefined) await archiveRows(deps, deps.archive, kind, gone, stopping);
  const ids = gone.map(({ _id }) => _id);
  const count = ids.length === 0 ? 0 : await deleteAgedRows(deps.db, rule, cutOff, ids);
  purgedTotal(deps.db).inc({ collection: kind.name }, count);
  const last = rows.at(-1);
  if (last === undefined || rows.length < PAGE)
    return windowEnd === undefined ? { count } : { count, at: { value: windowEnd } };
  const value = last[rule.field];
  const left = rows.filter((row) => needed.has(row._id) && isSame(row[rule.field], value));
  const leftBefore = at?.left !== undefined && isSame(at.value, value) ? at.left : [];
  return { count, at: { value, left: [...leftBefore, ...left.map(({ _id }) => _id)], windowEnd } };
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
  // The database's clock orders copies: of two, a restore takes the last archived.
  const archivedAt = await readDatabaseTime(db);
  const days = groupBy(rows, (row) => dayOf(row[rule.instant] as Date));
  for (const [day, ofDay] of days) {
    const content = await compress(`${ofDay.map(toLine).join('\n')}\n`);
    const [{ _id: firstId } = { _id: '' }] = ofDay;
    const object = { day, firstId, archivedAt, random: newId().slice(-8) };
    await archive.put(objectName(name, object), content, stopping);
  }
}
