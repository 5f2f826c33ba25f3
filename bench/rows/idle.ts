import { setTimeout as delay } from 'node:timers/promises';
import { startMeter } from '../processes.ts';
import { WORKERS } from '../product/product.ts';
import { spreadOf } from '../statistics.ts';
import type { Row } from './row.ts';

/** Time for the sweeps and caches to settle after the last load. */
const SETTLE_MS = 15_000;
const MEASURED_MS = 20_000;

/** CPU use of the API, the workers, MongoDB and Redis together without calls, in percent of a core. */
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
    return { idle: { ...spreadOf(sums), note: `last round: ${last.join(', ')}` } };
  },
};
