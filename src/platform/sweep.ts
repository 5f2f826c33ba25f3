import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import { databaseClockOf } from './clock.ts';
import { newId } from './ids.ts';
import { acquireLock, releaseLock } from './locks.store.ts';
import type { Logger } from './logger.ts';
import type { Db } from './mongo.ts';
import { gauge } from './process-metrics.ts';
import type { Progress } from './progress.ts';

export type SweptPage<Position> = {
  count: number;
  /** Where the next page begins, if this one was full: after every item of this page, also those that failed. */
  next?: Position | undefined;
};

export type Sweep<Position = never> = {
  name: string;
  everyMs: number;
  /** Does the page of due work that begins at `from`, or at the beginning, until `stopping` aborts. */
  run: (stopping: AbortSignal, from: Position | undefined) => Promise<SweptPage<Position>>;
};

const lastRunAt = gauge({
  name: 'sweep_last_run_timestamp_seconds',
  help: 'When this process last had worked through a page of the sweep under its lease, or began to try; Unix time.',
  labelNames: ['sweep'],
});
const intervals = gauge({
  name: 'sweep_interval_seconds',
  help: 'How long the sweep pauses after a run.',
  labelNames: ['sweep'],
});

const WIDTH = 10;

/**
 * Does `work` for each item, `width` at a time, until `stopping` aborts; returns the sum. An item that fails is
 * reported to `onError` and does not hold up the others.
 */
export async function sweepEach<T>(
  items: readonly T[],
  stopping: AbortSignal,
  work: (item: T) => Promise<number>,
  onError: (err: unknown, item: T) => void,
  width = WIDTH,
): Promise<number> {
  const counts = await pLimit(width).map(items, async (item) => {
    if (stopping.aborted) return 0;
    try {
      return await work(item);
    } catch (err) {
      onError(err, item);
      return 0;
    }
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

const BATCH = 200;

/** Like `sweepEach`, for batches of up to 200 items, one batch after the other. */
export function sweepBatches<T>(
  items: readonly T[],
  stopping: AbortSignal,
  work: (batch: readonly T[]) => Promise<number>,
  onError: (err: unknown, batch: readonly T[]) => void,
): Promise<number> {
  const batches: (readonly T[])[] = [];
  for (let from = 0; from < items.length; from += BATCH) batches.push(items.slice(from, from + BATCH));
  return sweepEach(batches, stopping, work, onError, 1);
}

/**
 * Works through what is due, page after page, and again `everyMs` after the end, until `stopping` aborts. A lock in
 * MongoDB lets one process at a time do it. A failed run is logged and repeated. `beat` is called after each page and
 * run. Resolves when the last run has ended.
 */
export async function keepSweeping<Position>(
  db: Db,
  sweep: Sweep<Position>,
  log: Logger,
  stopping: AbortSignal,
  beat: () => void = () => undefined,
): Promise<void> {
  const holder = newId();
  intervals(db).set({ sweep: sweep.name }, sweep.everyMs / 1000);
  noteRun(db, sweep.name);
  while (!stopping.aborted) {
    try {
      const count = await sweepThrough(db, sweep, holder, stopping, beat);
      if (count > 0) log.info({ sweep: sweep.name, count }, 'a sweep found work that no job had done');
    } catch (err) {
      log.warn({ sweep: sweep.name, error: (err as Error).message }, 'a sweep failed and will be repeated');
    }
    beat();
    await delay(sweep.everyMs, undefined, { signal: stopping }).catch(() => undefined);
  }
  await releaseLock(db, lockName(sweep.name), holder).catch(() => undefined);
}

const lockName = (sweep: string): string => `sweep-${sweep}`;

/** Uses the database's time, which is the same for every process. */
function noteRun(db: Db, sweep: string): void {
  lastRunAt(db).set({ sweep }, databaseClockOf(db).now().getTime() / 1000);
}

/** Longer than a page can take, with each read and write at the driver's time limit. */
const PAGE_MAY_TAKE_MS = 120_000;

/** One run. Renews the lock for each page; a lock left by a killed process lasts no longer than a page can take. */
async function sweepThrough<Position>(
  db: Db,
  { name, everyMs, run }: Sweep<Position>,
  holder: string,
  stopping: AbortSignal,
  beat: () => void,
): Promise<number> {
  const lockMs = Math.min(everyMs * 2, PAGE_MAY_TAKE_MS);
  let count = 0;
  for (let from: Position | undefined; !stopping.aborted; ) {
    if (!(await acquireLock(db, lockName(name), holder, lockMs))) break;
    const page = await run(stopping, from);
    noteRun(db, name);
    beat();
    count += page.count;
    from = page.next;
    if (from === undefined) break;
  }
  return count;
}

/** Repeats a sweep until the process stops, and lets a run in progress end. A run that hangs stalls the process. */
export function startSweep<Position = never>(
  scope: {
    log: Logger;
    stopping: AbortSignal;
    progress: Progress;
    onStop: (label: string, release: () => Promise<unknown>) => void;
  },
  db: Db,
  sweep: Sweep<Position>,
): void {
  const { beat } = scope.progress.expect(`sweep ${sweep.name}`, sweep.everyMs + PAGE_MAY_TAKE_MS);
  const ended = keepSweeping(db, sweep, scope.log, scope.stopping, beat);
  scope.onStop(`${sweep.name} sweep`, () => ended);
}
