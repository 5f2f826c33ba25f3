import { WORKERS } from '../product/product.ts';
import { slotCount } from '../product/slots.ts';
import type { Figure } from '../report.ts';
import { latencyOf, spreadOf } from '../statistics.ts';
import type { Bench, Row } from './row.ts';
import { subscribeOnce } from './webhook-runs.ts';

const PER_SECOND = 200;
const SECONDS = 6;
const SETTLED_WITHIN_MS = 30_000;

/** Holds at a steady rate: from the event's own timestamp, which the database gave it, to its arrival. */
export const pacedRow: Row<'paced-p50' | 'paced-p99'> = {
  name: 'paced',
  workers: WORKERS,
  measure: async (bench) => {
    await subscribeOnce(bench);
    await measureOnce(bench);
    const runs: Awaited<ReturnType<typeof measureOnce>>[] = [];
    for (let round = 0; round < bench.runs; round += 1) runs.push(await measureOnce(bench));
    const figure = (of: 'p50' | 'p99'): Figure => ({
      ...spreadOf(runs.map(({ age }) => age[of])),
      note: `of ${(PER_SECOND * SECONDS).toLocaleString('en-US')} each, ${runs.map(({ received }) => received).join(', ')} were received`,
    });
    return { 'paced-p50': figure('p50'), 'paced-p99': figure('p99') };
  },
};

async function measureOnce(bench: Bench) {
  const { product, apiKeys, venue, contents } = bench;
  const receiver = await bench.receiver();
  await contents.clear();
  await receiver.take();
  const first = bench.takeSlots(PER_SECOND * SECONDS) % slotCount(venue);
  const params = { port: product.port, apiKeys, venue, first };
  const pace = { kind: 'rate', perSecond: PER_SECOND, seconds: SECONDS } as const;
  const { outcomes } = await bench.callProduct({ step: 'place-hold', params, pace });
  await receiver.waitFor(outcomes['201'] ?? 0, SETTLED_WITHIN_MS);
  await contents.untilSettled(SETTLED_WITHIN_MS);
  const { ages } = await receiver.take();
  return { age: latencyOf(ages), received: ages.length };
}
