import { rssMbOf } from '../processes.ts';
import { WORKERS } from '../product/product.ts';
import type { Figure } from '../report.ts';
import { placeHolds } from './place-holds.ts';
import type { Row } from './row.ts';

/** What API and workers have in memory at the end of the benchmark, under load. The API has run since its beginning. */
export const memoryRow: Row<'memory-api' | 'memory-worker'> = {
  name: 'memory',
  workers: WORKERS,
  measure: async (bench) => {
    await placeHolds(bench)();
    const pids = Object.entries(bench.product.pids());
    const rss = new Map(pids.map(([name, pid]) => [name, rssMbOf(pid)]));
    const workers = WORKERS.map((name) => rss.get(name) ?? 0);
    const figure = (value: number, note?: string): Figure => ({
      ...{ value, low: value, high: value },
      ...(note === undefined ? {} : { note }),
    });
    const each = WORKERS.map((name, n) => `${name} ${Math.round(workers[n] ?? 0)}`).join(', ');
    return {
      'memory-api': figure(rss.get('api') ?? 0),
      'memory-worker': figure(Math.max(...workers), `the largest of ${each}`),
    };
  },
};
