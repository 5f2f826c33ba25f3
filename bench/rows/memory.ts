import { setTimeout as delay } from 'node:timers/promises';
import { rssMbOf } from '../processes.ts';
import { WORKERS } from '../product/product.ts';
import type { Figure } from '../report.ts';
import { spreadOf } from '../statistics.ts';
import { holdAndRelease } from './hold-and-release.ts';
import type { Row } from './row.ts';
import { subscribeOnce } from './webhook-runs.ts';

/** The share of the load after which memory is first read. */
const FIRST_READ_AT = 0.1;

/**
 * Memory of the API and workers after a load that places and releases holds and delivers their webhooks, and the growth
 * of memory during the load. The API has run since the benchmark began. To run for ten minutes:
 * `--only memory --runs 1 --seconds 600`.
 */
export const memoryRow: Row<'memory-api' | 'memory-worker' | 'memory-growth'> = {
  name: 'memory',
  workers: WORKERS,
  measure: async (bench) => {
    await bench.contents.clear();
    await subscribeOnce(bench);
    const read = () =>
      Object.fromEntries(['api', ...WORKERS].map((name) => [name, rssMbOf(bench.product.pids()[name] ?? 0)]));
    const load = holdAndRelease(bench, bench.venue);
    await delay(bench.seconds * FIRST_READ_AT * 1000);
    const before = read();
    const { perSecond } = await load;
    const after = read();
    const figure = (values: readonly number[], note: string): Figure => ({
      ...spreadOf([Math.max(...values)]),
      note,
    });
    const megabytes = (names: readonly string[], rss: Record<string, number>) =>
      names.map((name) => `${name} ${Math.round(rss[name] ?? 0)}`).join(', ');
    const growth = Object.entries(after).map(([name, mb]) => mb / (before[name] ?? mb));
    return {
      'memory-api': figure([after['api'] ?? 0], `after ${bench.seconds} s of ${Math.round(perSecond)} holds a second`),
      'memory-worker': figure(
        WORKERS.map((name) => after[name] ?? 0),
        megabytes(WORKERS, after),
      ),
      'memory-growth': figure(growth, `after a tenth: ${megabytes(Object.keys(before), before)}`),
    };
  },
};
