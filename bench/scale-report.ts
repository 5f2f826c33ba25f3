import type { Measurement } from './measurement.ts';
import { measurementText, sectionOf } from './measurement.ts';

/** The result of `count` processes together. */
export type ScaleRun = {
  count: number;
  perSecond: number;
  /** CPU use of each kind of process, in cores. */
  cores: Record<string, number>;
  /** The share of the machine that other processes took, from 0 to 1. */
  othersShare: number;
};

export type ScaleReport = Measurement & {
  /** WEBHOOK_CONCURRENCY. */
  concurrency: number;
  /** `goal`: the factor that twice the processes must reach. `runs`: the median run of each count. */
  rows: { subject: string; goal: number; runs: ScaleRun[] }[];
};

/** The machine is full when this share of all cores is in use. */
const FULL_SHARE = 0.9;

type Judgement = { factor: number | undefined; verdict: string };

/** Compares each run with the run of half as many processes. A full machine excuses a missed goal. */
function judge(runs: readonly ScaleRun[], goal: number, cores: number): Judgement[] {
  return runs.map((run, index) => {
    const before = runs[index - 1];
    if (before === undefined) return { factor: undefined, verdict: '' };
    const factor = run.perSecond / before.perSecond;
    if (factor >= goal) return { factor, verdict: 'reached' };
    return { factor, verdict: isFull(run, cores) ? 'the machine is full' : 'missed' };
  });
}

const usedBy = ({ cores }: ScaleRun): number => Object.values(cores).reduce((sum, each) => sum + each, 0);
const isFull = (run: ScaleRun, cores: number): boolean => usedBy(run) + run.othersShare * cores >= FULL_SHARE * cores;

export function isMissed({ rows, machine }: ScaleReport): boolean {
  return rows.some(({ runs, goal }) => judge(runs, goal, machine.cores).some(({ verdict }) => verdict === 'missed'));
}

/** `mongod 0.81, webhook-delivery 0.52`. Omits processes below 0.02. */
function coresText(run: ScaleRun): string {
  const shown = Object.entries(run.cores).filter(([, share]) => share >= 0.02);
  return shown
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, share]) => `${name} ${share.toFixed(2)}`)
    .join(', ');
}

function rowsOf({ rows, machine }: ScaleReport): string[][] {
  return rows.flatMap(({ subject, goal, runs }) => {
    const judged = judge(runs, goal, machine.cores);
    return runs.map((run, index) => [
      `${subject} by ${run.count}`,
      `${Math.round(run.perSecond)}/s`,
      judged[index]?.factor === undefined ? '' : `${judged[index].factor.toFixed(2)} ×`,
      judged[index]?.factor === undefined ? '' : `≥ ${goal} ×`,
      judged[index]?.verdict ?? '',
      `${usedBy(run).toFixed(2)} of ${machine.cores}`,
      coresText(run),
    ]);
  });
}

const factsOf = (report: ScaleReport): string =>
  `${measurementText(report)}; the slow receiver takes 200 ms, with WEBHOOK_CONCURRENCY ${report.concurrency}; ${report.minutes.toFixed(1)} min.`;

/** For a terminal of 80 columns. The line below each run shows the cores that each kind of process used. */
export function asText(report: ScaleReport): string {
  const lines = rowsOf(report).flatMap(
    ([who = '', rate = '', factor = '', goal = '', verdict = '', used = '', cores = '']) => [
      `${who.padEnd(28)}${rate.padStart(9)}${factor.padStart(9)}${goal.padStart(9)}  ${verdict}`.trimEnd(),
      `    CPU ${used}: ${cores}`,
    ],
  );
  return [...lines, factsOf(report)].join('\n');
}

export const asMarkdown = (report: ScaleReport): string =>
  sectionOf(
    factsOf(report),
    ['webhook-delivery processes', 'Together', 'A doubling', 'Goal', 'Verdict', 'Cores in use', 'Cores by process'],
    rowsOf(report),
  );
