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
  /** The start of the next page, if this page was full: after all items of this page, even failed ones. */
  next?: Position | undefined;
};

type Sweep<Position = never> = {
  name: string;
  everyMs: number;
  /** Does one page of due work, from `position` or from the beginning, until `stopping` aborts. */
  run: (stopping: AbortSignal, position: Position | undefined) => Promise<SweptPage<Position>>;
};

const lastRunAt = gauge({
  name: 'sweep_last_run_timestamp_seconds',
  help: 'Unix time when this process last completed a page of the sweep, or else started the sweep.',
  labelNames: ['sweep'],
});
const intervals = gauge({
  name: 'sweep_interval_seconds',
  help: 'How long the sweep pauses after a run.',
  labelNames: ['sweep'],
});

const WIDTH = 10;

/** Does `work` for each item, `width` at a time; returns the sum. A failure goes to `onError` and stops nothing. */
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
  for (let start = 0; start < items.length; start += BATCH) batches.push(items.slice(start, start + BATCH));
  return sweepEach(batches, stopping, work, onError, 1);
}

/** Longer than a page can take, even if each read and write takes as long as the driver allows. */
const PAGE_MAY_TAKE_MS = 120_000;

/**
 * Does all due work, page by page, and again `everyMs` after the end, until `stopping` aborts. A lock in MongoDB,
 * renewed for each page, lets one process at a time sweep. A killed process blocks other processes for at most twice
 * `everyMs`. A failed run is logged and repeated. `beat` is called after each page and run. Resolves after the last
 * run.
 */
export async function keepSweeping<Position>(
  db: Db,
  { name, everyMs, run }: Sweep<Position>,
  log: Logger,
  stopping: AbortSignal,
  beat: () => void = () => undefined,
): Promise<void> {
  const [lock, holder] = [`sweep-${name}`, newId()];
  const lockMs = Math.min(everyMs * 2, PAGE_MAY_TAKE_MS);
  // The database's time is the same for every process.
  const noteRun = () => lastRunAt(db).set({ sweep: name }, databaseClockOf(db).now().getTime() / 1000);
  intervals(db).set({ sweep: name }, everyMs / 1000);
  noteRun();
  while (!stopping.aborted) {
    let count = 0;
    try {
      let position: Position | undefined;
      do {
        if (!(await acquireLock(db, lock, holder, lockMs))) break;
        const page = await run(stopping, position);
        noteRun();
        beat();
        count += page.count;
        position = page.next;
      } while (position !== undefined && !stopping.aborted);
      if (count > 0) log.info({ sweep: name, count }, 'a sweep did work that no job had done');
    } catch (err) {
      log.warn({ sweep: name, error: (err as Error).message }, 'a sweep failed and will be repeated');
    }
    beat();
    await delay(everyMs, undefined, { signal: stopping }).catch(() => undefined);
  }
  await releaseLock(db, lock, holder).catch(() => undefined);
}

/** Repeats a sweep until the process stops, and lets a run in progress end. A run that hangs is reported as a stall. */
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
