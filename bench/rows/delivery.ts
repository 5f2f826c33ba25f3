import type { WorkerName } from '../product/product.ts';
import { WORKERS } from '../product/product.ts';
import type { Row } from './row.ts';
import { measureWebhooks, placeMany, untilReceived } from './webhook-runs.ts';

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
    const { rate, cpu } = await measureWebhooks(bench, async (receiver) => {
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
    });
    return { delivery: rate, 'delivery-cpu': cpu };
  },
};
