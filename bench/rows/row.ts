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

/** The bench of a row. All rows use one product, one after the other. */
export type Bench = Provisioned & {
  product: Product;
  contents: Contents;
  /** Number of measurements. */
  runs: number;
  /** Past bookings in rows with many. */
  bookings: number;
  /** Duration of a run without its warm-up. */
  seconds: number;
  /** Calls the product and meters each of its processes. */
  callProduct: <Name extends StepName>(task: TaskOf<Name>) => Promise<Loaded>;
  /** Runs a limit in a process of its own. Meters `pids`, or by default that process (`client`) and mongod. */
  callLimit: <Name extends StepName>(task: TaskOf<Name>, pids?: Pids) => Promise<Loaded>;
  limitPid: number;
  /** The processes of the benchmark. Their use does not count as that of others. */
  ownPids: () => number[];
  /** Another load process, for calls concurrent with the measured ones. */
  side: Load;
  /** Starts at the first call. */
  receiver: () => Promise<Receiver>;
  /** Reserves `count` slot numbers that earlier runs did not use. Returns the first. */
  takeSlots: (count: number) => number;
  /** Registers a release for the end of the benchmark. */
  onStop: (release: () => Promise<unknown>) => void;
};

/** A task. By default it has the connections and pace of all rows. */
export type TaskOf<Name extends StepName> = Omit<Task<Name>, 'callers' | 'pace'> & {
  callers?: number;
  pace?: Pace;
};

export type Row<Name extends FigureName = FigureName> = {
  /** The name in `--only` and in the goals. */
  name: string;
  /** The workers that run during the row. */
  workers: readonly WorkerName[];
  measure: (bench: Bench) => Promise<Record<Name, Figure>>;
};
