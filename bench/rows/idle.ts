import { setTimeout as delay } from 'node:timers/promises';
import { startMeter } from '../processes.ts';
import { WORKERS } from '../product/product.ts';
import { spreadOf } from '../statistics.ts';
import type { Row } from './row.ts';

/** Until what follows a load is done: sweeps of what it left, and caches that were used lately. */
const SETTLE_MS = 15_000;
const MEASURED_MS = 20_000;

/** What API, workers and stores take of a core together while nobody calls. */
export const idleRow: Row<'idle'> = {
  name: 'idle',
  workers: WORKERS,
  measure: async ({ contents, product, ownPids, runs }) => {
    await contents.clear();
    await delay(SETTLE_MS);
    const shares: Record<string, number>[] = [];
    for (let round = 0; round < runs; round += 1) {
      const meter = startMeter(product.pids(), ownPids());
      const beganAt = performance.now();
      await delay(MEASURED_MS);
      const percent = (us: number) => us / 10 / (performance.now() - beganAt);
      shares.push(Object.fromEntries(Object.entries(meter().us).map(([name, us]) => [name, percent(us)])));
    }
    const last = Object.entries(shares.at(-1) ?? {}).map(([name, share]) => `${name} ${share.toFixed(1)}`);
    const sums = shares.map((each) => Object.values(each).reduce((sum, share) => sum + share, 0));
    return { idle: { ...spreadOf(sums), note: last.join(', ') } };
  },
};
