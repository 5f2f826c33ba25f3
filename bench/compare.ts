import type { LoadResult } from './load/load.ts';
import type { CpuUs, Figure } from './report.ts';
import { median, spreadOf } from './statistics.ts';

/** The result of one measured run. */
export type Run = { perSecond: number; cpuUs: CpuUs; othersShare: number };

/** The run of a load. Counts calls with the `expected` outcome. @throws Error if fewer than 99 % have this outcome */
export function runOf({ outcomes, calls, seconds, cpuUs, othersShare }: LoadResult, expected: string): Run {
  const expectedCalls = outcomes[expected] ?? 0;
  if (expectedCalls < calls * 0.99 || calls === 0)
    throw new Error(`Of ${calls} calls, ${expectedCalls} resulted in ${expected}: ${JSON.stringify(outcomes)}`);
  return { perSecond: expectedCalls / seconds, cpuUs, othersShare };
}

/** Runs each variant `rounds` times, in turn: other work of the machine then affects all variants alike. */
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

/** The product's rate as a multiple of the limit's rate, round by round. */
export function rateFigure(product: readonly Run[], limit: readonly Run[]): Figure {
  const ratios = product.map(({ perSecond }, round) => perSecond / (limit[round]?.perSecond ?? Number.NaN));
  return {
    ...spreadOf(ratios),
    product: median(product.map(({ perSecond }) => perSecond)),
    limit: median(limit.map(({ perSecond }) => perSecond)),
    ...cpuOfBoth(product, limit),
  };
}

/** The product's processor time per operation, summed over its processes, as a multiple of the limit's. */
export function cpuFigure(product: readonly Run[], limit: readonly Run[]): Figure {
  const ratios = product.map(({ cpuUs }, round) => sum(cpuUs) / sum(limit[round]?.cpuUs ?? {}));
  return { ...spreadOf(ratios), ...cpuOfBoth(product, limit) };
}

function cpuOfBoth(product: readonly Run[], limit: readonly Run[]) {
  return { productCpuUs: cpuOf(product), limitCpuUs: cpuOf(limit) };
}

/** For each process, the median of the runs. */
function cpuOf(runs: readonly Pick<Run, 'cpuUs'>[]): CpuUs {
  const names = new Set(runs.flatMap(({ cpuUs }) => Object.keys(cpuUs)));
  return Object.fromEntries([...names].map((name) => [name, median(runs.map(({ cpuUs }) => cpuUs[name] ?? 0))]));
}

/** Adds up the processes of each kind: `mongod 2` counts as `mongod`. */
export function byKind(cpuUs: CpuUs): CpuUs {
  const kinds: CpuUs = {};
  for (const [label, us] of Object.entries(cpuUs)) {
    const kind = label.replace(/ \d+$/, '');
    kinds[kind] = (kinds[kind] ?? 0) + us;
  }
  return kinds;
}

const sum = (cpuUs: CpuUs): number => Object.values(cpuUs).reduce((all, us) => all + us, 0);
