import { interleave, rateFigure } from '../compare.ts';
import { WORKERS } from '../product/product.ts';
import { insertHolds, placeHolds } from './place-holds.ts';
import type { Row } from './row.ts';

const SETTLE_TIMEOUT_MS = 30_000;

/** The row `hold` while workers process each hold's events. No partner is subscribed to these events. */
export const holdWorkersRow: Row<'hold-workers'> = {
  name: 'hold-workers',
  workers: WORKERS,
  measure: async (bench) => {
    const limit = insertHolds(bench);
    const place = placeHolds(bench);
    const product = async () => {
      const run = await place();
      // The workers must not compete with the limit, which is measured next.
      await bench.contents.untilSettled(SETTLE_TIMEOUT_MS);
      return run;
    };
    await product();
    const runs = await interleave(bench.runs, { limit, product });
    return { 'hold-workers': rateFigure(runs.product, runs.limit) };
  },
};
