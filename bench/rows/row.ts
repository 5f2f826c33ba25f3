import type { FigureName } from '../goals.ts';
import type { Load, Loaded } from '../load/load.ts';
import type { Pace } from '../load/run-load.ts';
import type { StepName, Task } from '../load/steps.ts';
import type { Pids } from '../processes.ts';
import type { Contents } from '../product/contents.ts';
import type { Product, WorkerName } from '../product/product.ts';
import type { Provisioned } from '../product/provision.ts';
import type { Receiver } from '../receiver/receiver.ts';
import type { Figure } from '../report.ts';

/** What a row is given. All rows share one product, one after the other. */
export type Bench = Provisioned & {
  product: Product;
  contents: Contents;
  /** How often everything is measured. */
  runs: number;
  /** How many bookings of the past there are in rows that have many. */
  bookings: number;
  /** How long a run is measured, without its warm-up. */
  seconds: number;
  /** Calls the product: each process of it is metered. */
  callProduct: <Name extends StepName>(task: TaskOf<Name>) => Promise<Loaded>;
  /** Does what a limit does, in a process of its own: `pids` are metered, or that process, as `client`, and mongod. */
  callLimit: <Name extends StepName>(task: TaskOf<Name>, pids?: Pids) => Promise<Loaded>;
  limitPid: number;
  /** The benchmark's own processes, whose use is not other people's. */
  ownPids: () => number[];
  /** Another load process, for calls that go on beside what is measured. */
  side: Load;
  /** Started when it is first asked for. */
  receiver: () => Promise<Receiver>;
  /** Reserves numbers of slots, so that a run does not meet those of the one before: returns the first of `count`. */
  takeSlots: (count: number) => number;
  /** Registers what is to be ended with the benchmark. */
  onStop: (release: () => Promise<unknown>) => void;
};

/** A task for as many connections as all rows use, and at the usual pace, unless it says otherwise. */
export type TaskOf<Name extends StepName> = Omit<Task<Name>, 'callers' | 'pace'> & {
  callers?: number;
  pace?: Pace;
};

export type Row<Name extends FigureName = FigureName> = {
  /** As `--only` and the goals name it. */
  name: string;
  /** The workers that run meanwhile. */
  workers: readonly WorkerName[];
  measure: (bench: Bench) => Promise<Record<Name, Figure>>;
};
