import { interleave } from '../compare.ts';
import type { WorkerName } from '../product/product.ts';
import { spreadOf } from '../statistics.ts';
import type { Bench, Row } from './row.ts';
import { placeMany, subscribeOnce } from './webhook-runs.ts';

const EVENTS = 2000;
const WITHIN_MS = 60_000;
const DISPATCH = 'event-dispatch';
const FOUR: readonly WorkerName[] = [DISPATCH, DISPATCH, DISPATCH, DISPATCH];

/** The same committed events dispatched by one process, and by four that must not be in each other's way. */
export const growthDispatchersRow: Row<'growth-dispatchers'> = {
  name: 'growth-dispatchers',
  workers: [],
  measure: async (bench) => {
    await subscribeOnce(bench);
    const runs = await interleave(bench.runs, {
      one: () => dispatchBy(bench, [DISPATCH]),
      four: () => dispatchBy(bench, FOUR),
    });
    const ratios = runs.four.map((ms, round) => ms / (runs.one[round] ?? Number.NaN));
    const texts = [runs.one, runs.four].map((all) => all.map((ms) => ms.toFixed(1)).join(', '));
    return {
      'growth-dispatchers': {
        ...spreadOf(ratios),
        note: `ms an event: by one ${texts[0]}, by four ${texts[1]}`,
      },
    };
  },
};

/** Milliseconds an event, of which each process has had some before the time is taken. */
async function dispatchBy(bench: Bench, dispatchers: readonly WorkerName[]): Promise<number> {
  const { product, contents } = bench;
  await contents.clear();
  await product.runWorkers(dispatchers);
  await placeMany(bench, EVENTS / 4, bench.seconds);
  if (!(await contents.untilDispatched(0, WITHIN_MS)))
    throw new Error('Events were not dispatched within a minute');
  product.freeze([DISPATCH]);
  const events = await placeMany(bench, EVENTS, bench.seconds * 2);
  const beganAt = performance.now();
  product.thaw([DISPATCH]);
  if (!(await contents.untilDispatched(0, WITHIN_MS)))
    throw new Error('Events were not dispatched within a minute');
  return (performance.now() - beganAt) / events;
}
