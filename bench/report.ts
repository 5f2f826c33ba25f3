import type { FigureName } from './goals.ts';
import type { Spread } from './statistics.ts';

/** Microseconds of processor time per operation, by process. */
export type CpuUs = Record<string, number>;

/** A figure in the unit of its goal: median, lowest and highest of the rounds. */
export type Figure = Spread & {
  /** Median operations per second of the product and its limit. */
  product?: number;
  limit?: number;
  productCpuUs?: CpuUs;
  limitCpuUs?: CpuUs;
  note?: string;
};

export type Report = {
  /** ISO 8601, UTC. */
  at: string;
  commit: string;
  machine: { cores: number; cpu: string; memoryGb: number; node: string };
  runs: number;
  seconds: number;
  minutes: number;
  /** The largest share of the machine that other processes took in a run, from 0 to 1. */
  othersShare: number;
  figures: Partial<Record<FigureName, Figure>>;
};
