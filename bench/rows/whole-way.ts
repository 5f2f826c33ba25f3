import { WORKERS } from '../product/product.ts';
import type { Row } from './row.ts';
import { measureWebhooks, placeMany, untilReceived } from './webhook-runs.ts';

const HOLDS = 5000;

/** All work for an event: the API places a hold, and a worker delivers and records the signed webhook. */
export const wholeWayRow: Row<'whole-way' | 'whole-way-cpu'> = {
  name: 'whole-way',
  workers: WORKERS,
  measure: async (bench) => {
    const { rate, cpu } = await measureWebhooks(bench, (receiver) =>
      untilReceived(bench, receiver, () => placeMany(bench, HOLDS, bench.seconds * 2)),
    );
    return { 'whole-way': rate, 'whole-way-cpu': cpu };
  },
};
