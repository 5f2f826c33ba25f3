import { WORKERS } from '../product/product.ts';
import type { Receiver } from '../receiver/receiver.ts';
import type { Bench, Row } from './row.ts';
import { measureWebhooks, placeMany, untilReceived } from './webhook-runs.ts';

const EVENTS = 5000;

export const deliveryRow: Row<'delivery' | 'delivery-cpu'> = {
  name: 'delivery',
  workers: WORKERS,
  measure: async (bench) => {
    const { rate, cpu } = await measureWebhooks(bench, (receiver) => deliverCommitted(bench, receiver, EVENTS));
    return { delivery: rate, 'delivery-cpu': cpu };
  },
};

/**
 * Delivers up to `count` committed events to one endpoint. The webhook delivery process is frozen while the holds are
 * placed, so that the run measures deliveries only.
 */
export async function deliverCommitted(bench: Bench, receiver: Receiver, count: number) {
  bench.product.freeze(['webhook-delivery']);
  try {
    const events = await placeMany(bench, count, bench.seconds * 2);
    return await untilReceived(bench, receiver, () => {
      bench.product.thaw(['webhook-delivery']);
      return Promise.resolve(events);
    });
  } finally {
    bench.product.thaw(['webhook-delivery']);
  }
}
