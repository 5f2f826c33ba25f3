import { interleave, rateFigure } from '../compare.ts';
import { startTextbook } from '../textbook/textbook.ts';
import { insertHolds, placeHolds } from './place-holds.ts';
import type { Row } from './row.ts';

/** Holds on free slots without workers, compared with bare inserts and with the textbook service. */
export const holdRow: Row<'hold' | 'hold-textbook'> = {
  name: 'hold',
  workers: [],
  measure: async (bench) => {
    const textbook = await startTextbook(bench);
    const variants = {
      limit: insertHolds(bench),
      product: placeHolds(bench),
      textbook: async () => {
        await textbook.clear();
        return textbook.placeHolds();
      },
    };
    for (const warm of [variants.product, variants.product, variants.limit, variants.textbook]) await warm();
    const runs = await interleave(bench.runs, variants);
    await textbook.stop();
    return {
      hold: rateFigure(runs.product, runs.limit),
      'hold-textbook': rateFigure(runs.product, runs.textbook),
    };
  },
};
