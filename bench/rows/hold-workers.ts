import { interleave, rateFigure } from '../compare.ts';
import { WORKERS } from '../product/product.ts';
import { insertHolds, placeHolds } from './place-holds.ts';
import type { Row } from './row.ts';

/** `hold` while the workers process each hold. No subscription receives its event. */
export const holdWorkersRow: Row<'hold-workers'> = {
  name: 'hold-workers',
  workers: WORKERS,
  measure: async (bench) => {
    const limit = insertHolds(bench);
    const place = placeHolds(bench);
    const product = async () => {
      const run = await place();
      // Finish the workers' work before the limit is measured.
      await bench.contents.untilSettled(30_000);
      return run;
    };
    await product();
    const runs = await interleave(bench.runs, { limit, product });
    return { 'hold-workers': rateFigure(runs.product, runs.limit) };
  },
};
