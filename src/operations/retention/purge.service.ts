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

/**
 * The position of a run: its kind, the place in it, the rows purged so far, and when it last logged them (monotonic).
 */
export type PurgePosition = {
  kind: number;
  cutOff?: CutOff | undefined;
  at?: AgedPosition | undefined;
  purged: Readonly<Record<string, number>>;
  hasFailed: boolean;
  saidAtMs: number;
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
  help: 'Rows that this process deleted because they had been kept for as long as they have to be, by collection.',
  labelNames: ['collection'],
});

/**
 * Deletes the next page of rows whose retention is over, then rests. With an archive, a row is deleted once it is
 * archived durably; after a failure it stays and is archived again. A kind that fails waits for the next run, and the
 * others go on.
 */
export async function purgeNext(
  deps: PurgeDeps,
  stopping: AbortSignal,
  from: PurgePosition = { kind: 0, purged: {}, hasFailed: false, saidAtMs: performance.now() },
): Promise<SweptPage<PurgePosition>> {
  const kind = KINDS[from.kind];
  if (kind === undefined) {
    logRun(deps, from);
    return { count: 0 };
  }
  const following = { ...from, kind: from.kind + 1, cutOff: undefined, at: undefined };
  const days = daysKept(kind, deps.config);
  const beganAt = performance.now();
  try {
    if (days === 0) {
      await forgetPurge(deps.db, kind.name);
      return { count: 0, next: following };
    }
    if (from.cutOff === undefined) await notePurgeTried(deps.db, kind.name);
    const cutOff = from.cutOff ?? (await findCutOff(deps.db, days));
    const { count, at } = await purgePage(deps, kind, { cutOff, at: from.at }, stopping);
    const purged = { ...from.purged, [kind.name]: (from.purged[kind.name] ?? 0) + count };
    if (at === undefined) {
      await notePurgeCompleted(deps.db, kind.name);
      return { count: 0, next: { ...following, purged } };
    }
    const restMs = Math.max(REST_AT_LEAST_MS, (performance.now() - beganAt) * REST);
    await delay(Math.min(restMs, REST_AT_MOST_MS), undefined, { signal: stopping }).catch(() => undefined);
    return { count: 0, next: { ...from, purged, cutOff, at, saidAtMs: sayNowAndThen(deps, from, purged) } };
  } catch (err) {
    if (stopping.aborted) return { count: 0 };
    const fields = { collection: kind.name, error: (err as Error).message };
    deps.log.warn(fields, 'rows could not be purged: they stay until the next run');
    return { count: 0, next: { ...following, hasFailed: true } };
  }
}

type PageOfKind = { cutOff: CutOff; at: AgedPosition | undefined };

async function purgePage(
  deps: PurgeDeps,
  kind: Kind,
  { cutOff, at }: PageOfKind,
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

/** Logs progress once a minute; returns when it last did. */
function sayNowAndThen({ log }: PurgeDeps, { kind, saidAtMs }: PurgePosition, purged: PurgePosition['purged']): number {
  const nowMs = performance.now();
  if (nowMs - saidAtMs < SAY_EVERY_MS) return saidAtMs;
  log.info({ collection: KINDS[kind]?.name, purged }, 'rows are being purged');
  return nowMs;
}

function logRun({ log }: PurgeDeps, { purged, hasFailed }: PurgePosition): void {
  const rows = Object.values(purged).reduce((sum, each) => sum + each, 0);
  if (rows > 0 || hasFailed) log.info({ purged, has_failed: hasFailed }, 'rows were purged');
}
