import { interleave, rateFigure, runOf } from '../compare.ts';
import { freshSlots, rawCopies } from './place-holds.ts';
import type { Row } from './row.ts';

const SLOTS_PER_RUN = 8000;

/** Each caller places a hold, confirms it and cancels the booking. */
export const cycleRow: Row<'cycle'> = {
  name: 'cycle',
  workers: [],
  measure: async (bench) => {
    const { contents } = bench;
    const limit = async () => {
      await contents.clear();
      const params = { ...rawCopies(bench), firstSlot: bench.takeSlots(SLOTS_PER_RUN) };
      return runOf(await bench.callLimit({ step: 'three-writes', params }), 'written');
    };
    const product = async () => {
      await contents.clear();
      return runOf(await bench.callProduct({ step: 'cycle', params: freshSlots(bench, SLOTS_PER_RUN) }), '200');
    };
    await product();
    const runs = await interleave(bench.runs, { limit, product });
    return { cycle: rateFigure(runs.product, runs.limit) };
  },
};
