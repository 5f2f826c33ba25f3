import type { LoadProcess } from './load/load.ts';
import { startLoadProcess } from './load/load.ts';
import type { Pace } from './load/run-load.ts';
import type { StepName, Task } from './load/steps.ts';
import type { Options } from './options.ts';
import { openContents } from './product/contents.ts';
import { startProduct } from './product/product.ts';
import { provision } from './product/provision.ts';
import type { Receiver } from './receiver/receiver.ts';
import { startReceiver } from './receiver/receiver.ts';
import type { Bench, TaskOf } from './rows/row.ts';

const CONNECTIONS = 64;
const WARM_SECONDS = 0.7;

export const say = (line: string) => void process.stderr.write(`${line}\n`);

export type OpenBench = Bench & {
  /** The largest share of the machine that other processes have taken during a load, from 0 to 1. */
  othersShare: () => number;
};

/**
 * Starts the product and the load processes, and creates the data that all rows share. Registers each process with
 * `onStop` as soon as it runs, so that it is stopped if a later start fails.
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
  const startOwnLoad = async (): Promise<LoadProcess> => {
    const started = await startLoadProcess(ownPids);
    own.push(started.pid);
    onStop(started.stop);
    return started;
  };
  // Separate processes for product calls, limits and side loads: none warms up or slows down another.
  const [calls, limits, sideLoad] = [await startOwnLoad(), await startOwnLoad(), await startOwnLoad()];

  let maxOthersShare = 0;
  const run = async <Name extends StepName>(by: LoadProcess, task: TaskOf<Name>, pids: Record<string, number>) => {
    const pace: Pace = { kind: 'closed', warmSeconds: WARM_SECONDS, seconds };
    const result = await by.run({ callers: CONNECTIONS, pace, ...task } as unknown as Task, pids);
    maxOthersShare = Math.max(maxOthersShare, result.othersShare);
    return result;
  };
  let receiver: Promise<Receiver> | undefined;
  const openReceiver = async (): Promise<Receiver> => {
    const started = await startReceiver();
    own.push(started.pid);
    onStop(started.stop);
    return started;
  };
  let nextSlot = 0;
  return {
    ...provisioned,
    product,
    contents,
    runs,
    seconds,
    bookings,
    sideLoad,
    ownPids,
    onStop,
    limitPid: limits.pid,
    callProduct: (task) => run(calls, task, product.pids()),
    callLimit: (task, pids) => run(limits, task, pids ?? { client: limits.pid, mongod: product.pids()['mongod'] ?? 0 }),
    receiver: () => (receiver ??= openReceiver()),
    takeSlots: (count) => {
      const firstSlot = nextSlot;
      nextSlot += count;
      return firstSlot;
    },
    othersShare: () => maxOthersShare,
  };
}
