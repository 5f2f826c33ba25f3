import type { Loaded } from './load/load.ts';
import type { CpuUs, Figure } from './report.ts';
import { median, spreadOf } from './statistics.ts';

/** The result of one measured run. */
export type Run = { perSecond: number; cpuUs: CpuUs; othersShare: number };

/** A load as a run. Counts the calls with outcome `expected`. @throws Error if fewer than 99 % have it */
export function runOf({ outcomes, calls, seconds, cpuUs, othersShare }: Loaded, expected: string): Run {
  const good = outcomes[expected] ?? 0;
  if (good < calls * 0.99 || calls === 0)
    throw new Error(`Of ${calls} calls, ${good} resulted in ${expected}: ${JSON.stringify(outcomes)}`);
  return { perSecond: good / seconds, cpuUs, othersShare };
}

/**
 * Runs the variants in turn, so that other work of the machine affects all alike. Returns `rounds` runs of each.
 */
export async function interleave<Runs extends Record<string, unknown>>(
  rounds: number,
  variants: { [Name in keyof Runs]: () => Promise<Runs[Name]> },
): Promise<{ [Name in keyof Runs]: Runs[Name][] }> {
  const names = Object.keys(variants) as (keyof Runs)[];
  const runs = Object.fromEntries(names.map((name) => [name, []])) as unknown as {
    [Name in keyof Runs]: Runs[Name][];
  };
  for (let round = 0; round < rounds; round += 1) for (const name of names) runs[name].push(await variants[name]());
  return runs;
}

/** The rate of `product` as a multiple of that of `limit`, round by round. */
export function rateFigure(product: readonly Run[], limit: readonly Run[]): Figure {
  const ratios = product.map(({ perSecond }, round) => perSecond / (limit[round]?.perSecond ?? Number.NaN));
  return { ...spreadOf(ratios), ...ratesOf(product, limit) };
}

/** The product's processor time per operation, over all its processes, as a multiple of its limit's. */
export function cpuFigure(product: readonly Run[], limit: readonly Run[]): Figure {
  const ratios = product.map(({ cpuUs }, round) => sum(cpuUs) / sum(limit[round]?.cpuUs ?? {}));
  return { ...spreadOf(ratios), ...ratesOf(product, limit) };
}

function ratesOf(product: readonly Run[], limit: readonly Run[]) {
  return {
    product: median(product.map(({ perSecond }) => perSecond)),
    limit: median(limit.map(({ perSecond }) => perSecond)),
    productCpuUs: cpuOf(product),
    limitCpuUs: cpuOf(limit),
  };
}

/** For each process, the median of the runs. */
function cpuOf(runs: readonly Pick<Run, 'cpuUs'>[]): CpuUs {
  const names = new Set(runs.flatMap(({ cpuUs }) => Object.keys(cpuUs)));
  return Object.fromEntries([...names].map((name) => [name, median(runs.map(({ cpuUs }) => cpuUs[name] ?? 0))]));
}

/** Sums for each kind of process: `mongod 2` counts as `mongod`. */
export function byKind(cpuUs: CpuUs): CpuUs {
  const kinds: CpuUs = {};
  for (const [label, used] of Object.entries(cpuUs)) {
    const kind = label.replace(/ \d+$/, '');
    kinds[kind] = (kinds[kind] ?? 0) + used;
  }
  return kinds;
}

const sum = (cpuUs: CpuUs): number => Object.values(cpuUs).reduce((all, us) => all + us, 0);
