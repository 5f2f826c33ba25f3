import { setTimeout as delay } from 'node:timers/promises';
import { databaseClockOf } from './clock.ts';
import { newId } from './ids.ts';
import { endLease, takeLease } from './leases.store.ts';
import type { Logger } from './logger.ts';
import type { Db } from './mongo.ts';
import { gauge } from './process-metrics.ts';
import type { Progress } from './progress.ts';

/** What one page of a sweep came to. */
export type SweptPage<Position> = {
  /** How much of it was done. */
  count: number;
  /**
   * Where the next page begins, where this one was full. It lies behind every item of this page, those that could not be settled
   * included: so a run ends, and items that nobody can settle do not hide those behind them.
   */
  next?: Position | undefined;
};

export type Sweep<Position = never> = {
  name: string;
  everyMs: number;
  /** Works through the page of what is due that begins at `from`, or at the beginning, until that is done or `stopping` aborts. */
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

/** How many items of a sweep are worked on at a time, unless stated. */
const WIDTH = 10;

/**
 * Does `work` for each item, `width` at a time, until `stopping` aborts; returns the sum. An item that fails is passed to
 * `onError`, behind its error, and does not keep the others waiting.
 */
export async function sweepEach<T>(
  items: readonly T[],
  stopping: AbortSignal,
  work: (item: T) => Promise<number>,
  onError: (err: unknown, item: T) => void,
  width = WIDTH,
): Promise<number> {
  let count = 0;
  let next = 0;
  const lane = async (): Promise<void> => {
    for (; next < items.length && !stopping.aborted; ) {
      const item = items[next++] as T;
      const done = await work(item).catch((err: unknown) => {
        onError(err, item);
        return 0;
      });
      count += done;
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return count;
}

/** How many items of a sweep are worked on together, where one write serves several. */
const BATCH = 200;

/** As `sweepEach`, for work on up to 200 items together, one batch after the other: a batch that fails does not keep the next waiting. */
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
 * Goes through what is due from its beginning to its end, page after page without a pause, and again `everyMs` after that, until
 * `stopping` aborts; in one process at a time (a lease in MongoDB, so that it needs no Redis). What a page could not settle
 * waits for the next run. A failing run is logged and the next one tries again. `beat` is called whenever a page or a run has ended,
 * well or not. Resolves when the last run has ended, and another process may begin one.
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
      if (count > 0) log.info({ sweep: sweep.name, count }, 'a sweep did work that no job had done');
    } catch (err) {
      log.warn({ sweep: sweep.name, error: (err as Error).message }, 'a sweep failed and will be repeated');
    }
    beat();
    await delay(sweep.everyMs, undefined, { signal: stopping }).catch(() => undefined);
  }
  await endLease(db, leaseOf(sweep.name), holder).catch(() => undefined);
}

const leaseOf = (sweep: string): string => `sweep-${sweep}`;

/** By the database's time, which every process has. */
function noteRun(db: Db, sweep: string): void {
  lastRunAt(db).set({ sweep }, databaseClockOf(db).now().getTime() / 1000);
}

/** Longer than a page may take, with each of its reads and writes at the driver's time limit. */
const PAGE_MAY_TAKE_MS = 120_000;

/**
 * One run. The lease is renewed for each page, and a process that does not get it leaves the rest to the one that has it. A process that
 * is killed leaves a lease behind, so it lasts no longer than a page may take, however seldom the sweep runs.
 */
async function sweepThrough<Position>(
  db: Db,
  { name, everyMs, run }: Sweep<Position>,
  holder: string,
  stopping: AbortSignal,
  beat: () => void,
): Promise<number> {
  const leaseMs = Math.min(everyMs * 2, PAGE_MAY_TAKE_MS);
  let count = 0;
  for (let from: Position | undefined; !stopping.aborted; ) {
    if (!(await takeLease(db, leaseOf(name), holder, leaseMs))) break;
    const page = await run(stopping, from);
    noteRun(db, name);
    beat();
    count += page.count;
    from = page.next;
    if (from === undefined) break;
  }
  return count;
}

/** Keeps a sweep going until the process stops, and lets a run in progress end; one that hangs is a stall of the process. */
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
