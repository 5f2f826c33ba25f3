import { cpuFigure, interleave, rateFigure } from '../compare.ts';
import { WORKERS } from '../product/product.ts';
import type { Bench, Row } from './row.ts';
import { placeMany, postSigned, untilReceived } from './webhook-runs.ts';

const HOLDS = 5000;

/** From the call that places a hold to its signed webhook, received and recorded: all that the product does for an event. */
export const wholeWayRow: Row<'whole-way' | 'whole-way-cpu'> = {
  name: 'whole-way',
  workers: WORKERS,
  measure: async (bench) => {
    await subscribeOnce(bench);
    const receiver = await bench.receiver();
    const limit = () => postSigned(bench);
    const product = async () => {
      await bench.contents.clear();
      return untilReceived(bench, receiver, () => placeMany(bench, HOLDS, bench.seconds * 2));
    };
    await product();
    await limit();
    const runs = await interleave(bench.runs, { limit, product });
    const note = noteOf(runs.product);
    return {
      'whole-way': { ...rateFigure(runs.product, runs.limit), note },
      'whole-way-cpu': cpuFigure(runs.product, runs.limit),
    };
  },
};

const subscribed = new WeakSet<object>();

/** The first partner gets every event of a hold at the venue: one delivery each. */
export async function subscribeOnce(bench: Bench): Promise<void> {
  const [partner] = bench.partners;
  if (partner === undefined || subscribed.has(bench.partners)) return;
  subscribed.add(bench.partners);
  await bench.subscribe(partner, (await bench.receiver()).url);
}

export function noteOf(runs: readonly { events: number; receivedTwice: number }[]): string {
  const twice = runs.reduce((all, run) => all + run.receivedTwice, 0);
  return `${runs.map(({ events }) => events).join(', ')} events, ${twice} received twice`;
}
