import { setTimeout as delay } from 'node:timers/promises';
import { rssMbOf } from '../processes.ts';
import { WORKERS } from '../product/product.ts';
import type { Figure } from '../report.ts';
import { spreadOf } from '../statistics.ts';
import { holdAndRelease } from './hold-and-release.ts';
import type { Row } from './row.ts';
import { subscribeOnce } from './webhook-runs.ts';

/** Memory is first read after a tenth of the load. */
const FIRST_AFTER = 0.1;

/**
 * Memory of the API and workers after a load that places and releases holds with webhooks, and its growth during the
 * load. The API has run since the benchmark began. `--only memory --runs 1 --seconds 600` runs for ten minutes.
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
    await delay(bench.seconds * FIRST_AFTER * 1000);
    const first = read();
    const { perSecond } = await load;
    const last = read();
    const figure = (values: readonly number[], note: string): Figure => ({
      ...spreadOf([Math.max(...values)]),
      note,
    });
    const megabytes = (names: readonly string[], rss: Record<string, number>) =>
      names.map((name) => `${name} ${Math.round(rss[name] ?? 0)}`).join(', ');
    const growth = Object.entries(last).map(([name, mb]) => mb / (first[name] ?? mb));
    return {
      'memory-api': figure([last['api'] ?? 0], `after ${bench.seconds} s of ${Math.round(perSecond)} holds a second`),
      'memory-worker': figure(
        WORKERS.map((name) => last[name] ?? 0),
        `the largest of ${megabytes(WORKERS, last)}`,
      ),
      'memory-growth': figure(growth, `before: ${megabytes(Object.keys(first), first)}`),
    };
  },
};
