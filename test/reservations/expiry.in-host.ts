import { setTimeout as delay } from 'node:timers/promises';
import type { DuePosition } from '../../src/platform/backlog.store.ts';
import { keepSweeping } from '../../src/platform/sweep.ts';
import { expireDueHolds, sweepLapsedHolds } from '../../src/reservations/reservations.service.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** Ends a hold as the worker does, as soon as it has lapsed. */
export async function expireAsWorker(context: Context, holdId: string): Promise<void> {
  for (;;) {
    // The first call comes too early, as a job can by a host's clock.
    const [hold] = await expireDueHolds(context, [holdId]);
    if (hold instanceof Error) throw hold;
    if (hold?.status !== 'ACTIVE') return;
    await delay(hold.leftMs);
  }
}

type Sweeping = { pages: number[]; stopping: AbortController; ended: Promise<void> };

const sweeps = new WeakMap<Context, Sweeping>();

/** Sweeps lapsed holds, a page of so many at a time. */
export function startSweep(context: Context, limit: number): void {
  const stopping = new AbortController();
  const pages: number[] = [];
  const run = async (signal: AbortSignal, from: DuePosition | undefined) => {
    const page = await sweepLapsedHolds(context, { graceMs: 0, limit, from, stopping: signal });
    pages.push(page.count);
    return page;
  };
  const sweep = { name: 'test', everyMs: 600_000, run };
  const ended = keepSweeping(context.db, sweep, context.log, stopping.signal);
  sweeps.set(context, { pages, stopping, ended });
}

/** Lets its run end; returns how many holds each of its pages settled. */
export async function stopSweep(context: Context): Promise<number[]> {
  const sweep = sweeps.get(context);
  if (sweep === undefined) throw new Error('There is no sweep');
  sweep.stopping.abort();
  await sweep.ended;
  return sweep.pages;
}
