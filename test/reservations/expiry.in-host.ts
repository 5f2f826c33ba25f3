import { setTimeout as delay } from 'node:timers/promises';
import type { DuePosition } from '../../src/platform/backlog.store.ts';
import { keepSweeping } from '../../src/platform/sweep.ts';
import { expireDueHolds, sweepOverdueHolds } from '../../src/reservations/reservations.service.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** Expires a hold like the worker, as soon as it is due. */
export async function expireAsWorker(context: Context, holdId: string): Promise<void> {
  for (;;) {
    // Like a job on a host with a wrong clock, the first call comes too early.
    const [hold] = await expireDueHolds(context, [holdId]);
    if (hold instanceof Error) throw hold;
    if (hold?.status !== 'ACTIVE') return;
    await delay(hold.leftMs);
  }
}

type Sweeping = { pages: number[]; stopping: AbortController; ended: Promise<void> };

const sweeps = new WeakMap<Context, Sweeping>();

/** Starts to sweep expired holds, `limit` at a time. */
export function startSweep(context: Context, limit: number): void {
  const stopping = new AbortController();
  const pages: number[] = [];
  const run = async (signal: AbortSignal, after: DuePosition | undefined) => {
    const page = await sweepOverdueHolds(context, { graceMs: 0, limit, after, stopping: signal });
    pages.push(page.count);
    return page;
  };
  const sweep = { name: 'test', everyMs: 600_000, run };
  const ended = keepSweeping(context.db, sweep, context.log, stopping.signal);
  sweeps.set(context, { pages, stopping, ended });
}

/** Stops the sweep; returns how many holds each page expired. */
export async function stopSweep(context: Context): Promise<number[]> {
  const sweep = sweeps.get(context);
  if (sweep === undefined) throw new Error('There is no sweep');
  sweep.stopping.abort();
  await sweep.ended;
  return sweep.pages;
}
