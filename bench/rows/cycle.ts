import { interleave, rateFigure, runOf } from '../compare.ts';
import { slotCount } from '../product/slots.ts';
import { rawCopies } from './place-holds.ts';
import type { Row } from './row.ts';

const SLOTS_OF_RUN = 8000;

/** Each caller places a hold, confirms it and cancels the booking. */
export const cycleRow: Row<'cycle'> = {
  name: 'cycle',
  workers: [],
  measure: async (bench) => {
    const { product: service, contents, apiKeys, venue } = bench;
    const limit = async () => {
      await contents.clear();
      const params = { ...rawCopies(bench), first: bench.takeSlots(SLOTS_OF_RUN) };
      return runOf(await bench.callLimit({ step: 'three-writes', params }), 'written');
    };
    const product = async () => {
      await contents.clear();
      const first = bench.takeSlots(SLOTS_OF_RUN) % slotCount(venue);
      const params = { port: service.port, apiKeys, venue, first };
      return runOf(await bench.callProduct({ step: 'cycle', params }), '200');
    };
    await product();
    const runs = await interleave(bench.runs, { limit, product });
    return { cycle: rateFigure(runs.product, runs.limit) };
  },
};
