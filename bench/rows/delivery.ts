import { cpuFigure, interleave, rateFigure } from '../compare.ts';
import type { WorkerName } from '../product/product.ts';
import { WORKERS } from '../product/product.ts';
import type { Row } from './row.ts';
import { placeMany, postSigned, untilReceived } from './webhook-runs.ts';
import { noteOf, subscribeOnce } from './whole-way.ts';

const EVENTS = 5000;
const SENDERS: readonly WorkerName[] = ['event-dispatch', 'webhook-delivery'];

/**
 * Events that are committed already, to one endpoint. The workers run and are warm, but frozen while the holds are placed over
 * HTTP: from when they are let go on, all that is measured is theirs.
 */
export const deliveryRow: Row<'delivery' | 'delivery-cpu'> = {
  name: 'delivery',
  workers: WORKERS,
  measure: async (bench) => {
    await subscribeOnce(bench);
    const receiver = await bench.receiver();
    const limit = () => postSigned(bench);
    const product = async () => {
      await bench.contents.clear();
      bench.product.freeze(SENDERS);
      try {
        const events = await placeMany(bench, EVENTS, bench.seconds * 2);
        return await untilReceived(bench, receiver, () => {
          bench.product.thaw(SENDERS);
          return Promise.resolve(events);
        });
      } finally {
        bench.product.thaw(SENDERS);
      }
    };
    await product();
    await limit();
    const runs = await interleave(bench.runs, { limit, product });
    return {
      delivery: { ...rateFigure(runs.product, runs.limit), note: noteOf(runs.product) },
      'delivery-cpu': cpuFigure(runs.product, runs.limit),
    };
  },
};
