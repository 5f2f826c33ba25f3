import wrapAnsi from 'wrap-ansi';
import { cpuText, digits, goalText, rangeOf, withUnit } from './figures.ts';
import type { Goal } from './goals.ts';
import { FIGURE_NAMES, GOALS, isReached, missed } from './goals.ts';
import type { Figure, Report } from './report.ts';

const WIDTH = 80;
const COLUMNS = [31, 8, 9, 10, 12, 8] as const;
const INDENT = '    ';

/** The report for a terminal of 80 columns: each figure has a line, with its CPU time in the next lines. */
export function asTable(report: Report): string {
  const { machine, runs, seconds, minutes, othersShare } = report;
  const heading = line(['', 'limit/s', 'product/s', 'median', 'range', 'goal'], '');
  const rows = FIGURE_NAMES.flatMap((name) => {
    const figure = report.figures[name];
    return figure === undefined ? [] : linesOf(GOALS[name], figure);
  });
  const count = missed(report).length;
  const summary = [
    `${machine.cores} cores (${machine.cpu}), Node ${machine.node}, ${report.at.slice(0, 10)}, ${report.commit}.`,
    `${runs} rounds of ${seconds} s, ${minutes.toFixed(1)} min in all;`,
    `others took up to ${Math.round(othersShare * 100)} % of the machine.`,
    count === 0 ? 'Every goal is reached.' : `${count} goals are missed.`,
  ].join(' ');
  return [heading, '─'.repeat(WIDTH), ...rows, '─'.repeat(WIDTH), wrapAnsi(summary, WIDTH)].join('\n');
}

function linesOf(goal: Goal, figure: Figure): string[] {
  const { product, limit, productCpuUs, limitCpuUs, note } = figure;
  const rates = [limit, product].map((rate) => (rate === undefined ? '' : digits(rate)));
  const reached = isReached(goal, figure.value);
  const cells = [goal.label, ...rates, withUnit(figure.value, goal), rangeOf(figure), goalText(goal)];
  const details = [
    productCpuUs === undefined ? '' : `CPU ${cpuText(productCpuUs)}`,
    limitCpuUs === undefined ? '' : `limit ${cpuText(limitCpuUs)}`,
    note ?? '',
  ].filter((text) => text !== '');
  const wrapped = details.flatMap((text) => wrapAnsi(text, WIDTH - INDENT.length).split('\n'));
  const mark = reached === null ? ' ' : reached ? '✓' : '✗';
  return [line(cells, mark), ...wrapped.map((text) => INDENT + text)];
}

function line(cells: readonly string[], mark: string): string {
  const padded = cells.map((cell, column) => {
    const width = COLUMNS[column] ?? 0;
    return column === 0 ? cell.padEnd(width) : cell.padStart(width);
  });
  return `${padded.join('')}${mark === '' ? '' : ` ${mark}`}`.trimEnd();
}
