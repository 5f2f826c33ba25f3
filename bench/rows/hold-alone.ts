import { WORKERS } from '../product/product.ts';
import { spreadOf } from '../statistics.ts';
import { freshSlots } from './place-holds.ts';
import type { Row } from './row.ts';

const SLOTS_PER_RUN = 500;

/** A single caller, one call at a time: the API must not delay a lone hold to batch it with others. */
export const holdAloneRow: Row<'hold-alone'> = {
  name: 'hold-alone',
  workers: WORKERS,
  measure: async (bench) => {
    await bench.contents.clear();
    const p50s: number[] = [];
    for (let round = 0; round <= bench.runs; round += 1) {
      const params = freshSlots(bench, SLOTS_PER_RUN);
      p50s.push((await bench.callProduct({ step: 'place-hold', params, callers: 1 })).latencyMs.p50);
    }
    // Do not count the first round, a warm-up.
    return { 'hold-alone': spreadOf(p50s.slice(1)) };
  },
};
