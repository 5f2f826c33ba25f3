import { WORKERS } from '../product/product.ts';
import type { Figure } from '../report.ts';
import { latencyOf, spreadOf } from '../statistics.ts';
import { freshSlots } from './place-holds.ts';
import type { Bench, Row } from './row.ts';
import { subscribeOnce } from './webhook-runs.ts';

const RATES = [20, 50, 200] as const;
type PacedName = `paced-${(typeof RATES)[number]}-${'p50' | 'p99'}`;

const SECONDS = 6;
export const paceOf = (perSecond: number) => ({ kind: 'rate', perSecond, seconds: SECONDS }) as const;
const SETTLE_TIMEOUT_MS = 30_000;

/** Holds at a steady rate: time from the timestamp of an event, set by MongoDB, to its arrival at the receiver. */
export const pacedRow: Row<PacedName> = {
  name: 'paced',
  workers: WORKERS,
  measure: async (bench) => {
    await subscribeOnce(bench);
    await holdAtPace(bench, 200);
    const figures: Partial<Record<PacedName, Figure>> = {};
    for (const rate of RATES) {
      const runs: Awaited<ReturnType<typeof holdAtPace>>[] = [];
      for (let round = 0; round < bench.runs; round += 1) runs.push(await holdAtPace(bench, rate));
      const note = `received ${runs.map(({ received }) => received).join(', ')} of ${rate * SECONDS}`;
      for (const percentile of ['p50', 'p99'] as const)
        figures[`paced-${rate}-${percentile}`] = {
          ...spreadOf(runs.map(({ age }) => age[percentile])),
          note,
        };
    }
    return figures as Record<PacedName, Figure>;
  },
};

/** One run. `age`: milliseconds from event to arrival. */
export async function holdAtPace(bench: Bench, perSecond: number) {
  const { contents } = bench;
  const receiver = await bench.receiver();
  await contents.clear();
  await receiver.take();
  const params = freshSlots(bench, perSecond * SECONDS);
  const { outcomes } = await bench.callProduct({ step: 'place-hold', params, pace: paceOf(perSecond) });
  await receiver.waitFor(outcomes['201'] ?? 0, SETTLE_TIMEOUT_MS);
  await contents.untilSettled(SETTLE_TIMEOUT_MS);
  const { ages } = await receiver.take();
  return { age: latencyOf(ages), received: ages.length };
}
