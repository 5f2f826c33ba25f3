import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../../src/webhooks/deliveries/observability.service.ts';

/** Durations in milliseconds, with percentiles by nearest rank; 0 if nothing was timed. */
export type Durations = { count: number; p50: number; p99: number; max: number };

/** Summarizes `tookMs`, in any order. */
export function durationsOf(tookMs: readonly number[]): Durations {
  const ascending = tookMs.toSorted((one, other) => one - other);
  const [p50 = 0, p99 = 0, max = 0] = [50, 99, 100].map((rank) => Math.round(percentile(ascending, rank) ?? 0));
  return { count: ascending.length, p50, p99, max };
}

/** Times `call` while `work` runs: once, and again `pauseMs` after each response. */
export async function durationsDuring(
  work: Promise<unknown>,
  pauseMs: number,
  call: () => Promise<unknown>,
): Promise<Durations> {
  const over = new AbortController();
  const end = () => over.abort();
  work.then(end, end);
  const tookMs: number[] = [];
  do {
    const beganAt = performance.now();
    await call();
    tookMs.push(performance.now() - beganAt);
    await delay(pauseMs);
  } while (!over.signal.aborted);
  return durationsOf(tookMs);
}
