import { cpuText, digits, goalText, rangeOf } from './figures.ts';
import type { Goal } from './goals.ts';
import { FIGURE_NAMES, GOALS, isReached } from './goals.ts';
import type { Figure, Report } from './report.ts';

/** The report as a section of docs/evidence/performance.md, with the values of the earlier report `before`. */
export function asMarkdown(report: Report, before?: Report): string {
  const { at, commit, machine, runs, seconds, minutes, othersShare } = report;
  const rows = FIGURE_NAMES.flatMap((name) => {
    const figure = report.figures[name];
    return figure === undefined ? [] : [rowOf(GOALS[name], figure, before?.figures[name])];
  });
  const facts = [
    `${at.slice(0, 10)}, ${commit}: ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, ${machine.memoryGb} GB;`,
    `${runs} rounds of ${seconds} s, ${minutes.toFixed(1)} min in all. Other processes took up to`,
    `${Math.round(othersShare * 100)} % of the machine.`,
    ...(before === undefined ? [] : [`Before: ${before.at.slice(0, 10)}, ${before.commit}.`]),
  ];
  return [
    '',
    facts.join(' '),
    '',
    `| Row | Limit | Limit/s | Product/s | ${before === undefined ? '' : 'Before | '}Median | Range of rounds | Goal | CPU per operation |`,
    `|---|---|---|---|${before === undefined ? '' : '---|'}---|---|---|---|`,
    ...rows.map((cells) => `| ${(before === undefined ? cells.filter((_, n) => n !== 4) : cells).join(' | ')} |`),
    '',
  ].join('\n');
}

function rowOf(goal: Goal, figure: Figure, before: Figure | undefined): string[] {
  const { limit, product, productCpuUs, note } = figure;
  const rate = (value: number | undefined) => (value === undefined ? '' : digits(value));
  const isMissed = isReached(goal, figure.value) === false;
  const value = `${digits(figure.value)} ${goal.unit === 'x' ? '×' : goal.unit}`;
  return [
    goal.label + (note === undefined ? '' : `; ${note}`),
    goal.limit ?? '',
    rate(limit),
    rate(product),
    before === undefined ? '' : digits(before.value),
    isMissed ? `**${value}**` : value,
    rangeOf(figure),
    goalText(goal) + (isMissed ? ', missed' : ''),
    productCpuUs === undefined ? '' : cpuText(productCpuUs),
  ];
}
