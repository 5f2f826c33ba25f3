import { interleave, rateFigure, runOf } from '../compare.ts';
import { rawCopies } from './place-holds.ts';
import type { Row } from './row.ts';

/** All callers try to hold one slot that is already held. */
export const holdLostRow: Row<'hold-lost'> = {
  name: 'hold-lost',
  workers: [],
  measure: async (bench) => {
    const { product, contents, apiKeys, venue } = bench;
    const limit = async () => {
      await contents.clear();
      const params = { ...rawCopies(bench), firstSlot: 0 };
      return runOf(await bench.callLimit({ step: 'losing-insert', params }), 'duplicate');
    };
    const lose = async () => {
      await contents.clear();
      await contents.add('reservations', contents.originals.hold, 0, 1);
      const params = { port: product.port, apiKeys, venue, firstSlot: 0, isOneSlot: true };
      return runOf(await bench.callProduct({ step: 'place-hold', params }), '409');
    };
    await lose();
    const runs = await interleave(bench.runs, { limit, product: lose });
    return { 'hold-lost': rateFigure(runs.product, runs.limit) };
  },
};
