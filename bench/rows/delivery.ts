import { WORKERS } from '../product/product.ts';
import type { Row } from './row.ts';
import { measureWebhooks, placeMany, untilReceived } from './webhook-runs.ts';

const EVENTS = 5000;

/**
 * Events that are committed already, to one endpoint. Webhook delivery runs and is warm, but frozen while the holds are placed over
 * HTTP: from when it goes on, all that is measured is its own.
 */
export const deliveryRow: Row<'delivery' | 'delivery-cpu'> = {
  name: 'delivery',
  workers: WORKERS,
  measure: async (bench) => {
    const { rate, cpu } = await measureWebhooks(bench, async (receiver) => {
      bench.product.freeze(['webhook-delivery']);
      try {
        const events = await placeMany(bench, EVENTS, bench.seconds * 2);
        return await untilReceived(bench, receiver, () => {
          bench.product.thaw(['webhook-delivery']);
          return Promise.resolve(events);
        });
      } finally {
        bench.product.thaw(['webhook-delivery']);
      }
    });
    return { delivery: rate, 'delivery-cpu': cpu };
  },
};
