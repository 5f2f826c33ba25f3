import type { Load } from './load/load.ts';
import { startLoad } from './load/load.ts';
import type { Pace } from './load/run-load.ts';
import type { StepName, Task } from './load/steps.ts';
import type { Options } from './options.ts';
import { openContents } from './product/contents.ts';
import { startProduct } from './product/product.ts';
import { provision } from './product/provision.ts';
import type { Receiver } from './receiver/receiver.ts';
import { startReceiver } from './receiver/receiver.ts';
import type { Bench, TaskOf } from './rows/row.ts';

const CALLERS = 64;
const WARM_SECONDS = 0.7;

export const say = (line: string) => void process.stderr.write(`${line}\n`);

export type OpenBench = Bench & {
  /** The largest share of the machine that other processes took in a load so far, from 0 to 1. */
  othersShare: () => number;
};

/**
 * Starts the product, its contents and the load processes, which all rows share. Registers each with `onStop` at once,
 * so that it is released if a later one fails.
 */
export async function openBench(
  {
    runs,
    seconds,
    bookings,
    profile,
    settings,
  }: Pick<Options, 'runs' | 'seconds' | 'bookings' | 'profile'> & { settings?: Record<string, string> },
  onStop: Bench['onStop'],
): Promise<OpenBench> {
  const product = await startProduct(say, profile, settings);
  onStop(product.stop);
  const provisioned = await provision(product);
  const contents = await openContents(product, provisioned);
  onStop(contents.close);

  const own: number[] = [];
  const ownPids = () => [...own, ...Object.values(product.pids())];
  const load = async (): Promise<Load> => {
    const started = await startLoad(ownPids);
    own.push(started.pid);
    onStop(started.stop);
    return started;
  };
  // Separate processes for product calls, limits and side loads: the work of one does not warm up or fill another.
  const [calls, limits, side] = [await load(), await load(), await load()];

  let worst = 0;
  const run = async <Name extends StepName>(by: Load, task: TaskOf<Name>, pids: Record<string, number>) => {
    const pace: Pace = { kind: 'closed', warmSeconds: WARM_SECONDS, seconds };
    const loaded = await by.run({ callers: CALLERS, pace, ...task } as unknown as Task, pids);
    worst = Math.max(worst, loaded.othersShare);
    return loaded;
  };
  let receiver: Promise<Receiver> | undefined;
  const openReceiver = async (): Promise<Receiver> => {
    const started = await startReceiver();
    own.push(started.pid);
    onStop(started.stop);
    return started;
  };
  let taken = 0;
  return {
    ...provisioned,
    product,
    contents,
    runs,
    seconds,
    bookings,
    side,
    ownPids,
    onStop,
    limitPid: limits.pid,
    callProduct: (task) => run(calls, task, product.pids()),
    callLimit: (task, pids) => run(limits, task, pids ?? { client: limits.pid, mongod: product.pids()['mongod'] ?? 0 }),
    receiver: () => (receiver ??= openReceiver()),
    takeSlots: (count) => {
      const first = taken;
      taken += count;
      return first;
    },
    othersShare: () => worst,
  };
}
