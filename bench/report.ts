import type { FigureName } from './goals.ts';
import type { Spread } from './statistics.ts';

/** Microseconds of processor time for one operation, by process. */
export type CpuUs = Record<string, number>;

/** What was measured of one goal, in its unit: the median of the rounds, the lowest and the highest. */
export type Figure = Spread & {
  /** Operations a second, medians. */
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
  /** The largest share of the machine that processes beside the benchmark took in a measured run, from 0 to 1. */
  othersShare: number;
  figures: Partial<Record<FigureName, Figure>>;
};
