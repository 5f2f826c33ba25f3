import type { FigureName } from '../goals.ts';
import type { LoadProcess, LoadResult } from '../load/load.ts';
import type { Pace } from '../load/run-load.ts';
import type { StepName, Task } from '../load/steps.ts';
import type { Pids } from '../processes.ts';
import type { Contents } from '../product/contents.ts';
import type { Product, WorkerName } from '../product/product.ts';
import type { Provisioned } from '../product/provision.ts';
import type { Receiver } from '../receiver/receiver.ts';
import type { Figure } from '../report.ts';

/** The measuring set-up. All rows use one product, one after the other. */
export type Bench = Provisioned & {
  product: Product;
  contents: Contents;
  /** Number of measurements. */
  runs: number;
  /** Past bookings in the rows `bookings` and `growth-kept`. */
  bookings: number;
  /** Duration of a run without its warm-up. */
  seconds: number;
  /** Calls the product and meters each of its processes. */
  callProduct: <Name extends StepName>(task: TaskOf<Name>) => Promise<LoadResult>;
  /** Runs a limit in its own load process. Meters `pids`; default: this load process (`client`) and mongod. */
  callLimit: <Name extends StepName>(task: TaskOf<Name>, pids?: Pids) => Promise<LoadResult>;
  /** The load process of the limits. */
  limitPid: number;
  /** The processes of the product and the benchmark. Their CPU use does not count as that of other processes. */
  ownPids: () => number[];
  /** Another load process, for calls that run concurrently with the measured calls. */
  sideLoad: LoadProcess;
  /** The receiver, started at the first call. */
  receiver: () => Promise<Receiver>;
  /** Reserves `count` slot numbers that earlier runs did not use. Returns the first. */
  takeSlots: (count: number) => number;
  /** Registers a clean-up for the end of the benchmark. */
  onStop: (release: () => Promise<unknown>) => void;
};

/** A task of a row. `callers` and `pace` have defaults, which most rows use. */
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
