import { WORKERS } from '../product/product.ts';
import { slotCount } from '../product/slots.ts';
import { spreadOf } from '../statistics.ts';
import type { Row } from './row.ts';

/** One caller makes one call at a time without other load: batching must not slow it down. */
export const holdAloneRow: Row<'hold-alone'> = {
  name: 'hold-alone',
  workers: WORKERS,
  measure: async (bench) => {
    const { product, apiKeys, venue } = bench;
    await bench.contents.clear();
    const p50s: number[] = [];
    for (let round = 0; round <= bench.runs; round += 1) {
      const first = bench.takeSlots(500) % slotCount(venue);
      const params = { port: product.port, apiKeys, venue, first };
      p50s.push((await bench.callProduct({ step: 'place-hold', params, callers: 1 })).latencyMs.p50);
    }
    return { 'hold-alone': { ...spreadOf(p50s.slice(1)) } };
  },
};
