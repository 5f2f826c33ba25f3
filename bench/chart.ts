import { digits, goalText } from './figures.ts';
import type { FigureName, Goal } from './goals.ts';
import { FIGURE_NAMES, GOALS, isReached } from './goals.ts';
import type { Report } from './report.ts';

const WIDTH = 760;
const LABEL_WIDTH = 240;
const BAR_WIDTH = 400;
const ROW_HEIGHT = 26;
const TOP = 58;
const BOTTOM = 34;
/** The scale is logarithmic, from a thousandth to ten times the limit. */
const LOWEST = 0.001;
const HIGHEST = 10;

type Bar = { name: FigureName; value: number; before: number | undefined };

/**
 * A self-contained SVG. Each figure that is a multiple of its limit has a bar, a mark at its goal, and a thin bar for
 * its value in the earlier report `before`. Figures with an upper bound are only in the table.
 */
export function asChart(report: Report, before?: Report): string {
  const bars = FIGURE_NAMES.flatMap((name): Bar[] => {
    const goal = GOALS[name];
    const figure = report.figures[name];
    if (figure === undefined || goal.unit !== 'x' || 'atMost' in goal) return [];
    return [{ name, value: figure.value, before: before?.figures[name]?.value }];
  });
  const height = TOP + bars.length * ROW_HEIGHT + BOTTOM;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title" font-family="system-ui, sans-serif" font-size="13">`,
    `<title id="title">Each path of the service as a multiple of its limit</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="16" y="24" font-size="16" font-weight="600" fill="#1f2933">Each path as a multiple of its limit, in the same run</text>`,
    ...gridLines(height),
    ...bars.flatMap(barOf),
    `<text x="16" y="${height - 10}" font-size="11" fill="#52606d">${captionOf(report, before)}</text>`,
    '</svg>',
    '',
  ].join('\n');
}

function captionOf({ at, machine }: Report, before: Report | undefined): string {
  const legend = before === undefined ? '' : ` Grey: ${before.at.slice(0, 10)}.`;
  return escape(
    `${at.slice(0, 10)}, ${machine.cores} cores, Node ${machine.node}; logarithmic. Dark mark: the goal.${legend}`,
  );
}

function xOf(value: number): number {
  const share = Math.log(Math.max(value, LOWEST) / LOWEST) / Math.log(HIGHEST / LOWEST);
  return LABEL_WIDTH + Math.min(1, share) * BAR_WIDTH;
}

function gridLines(height: number): string[] {
  return [0.001, 0.01, 0.1, 1, 10].flatMap((value) => {
    const x = xOf(value).toFixed(1);
    const isLimit = value === 1;
    return [
      `<line x1="${x}" y1="${TOP - 6}" x2="${x}" y2="${height - BOTTOM}" stroke="${isLimit ? '#1f2933' : '#d9e2ec'}"/>`,
      `<text x="${x}" y="${TOP - 12}" text-anchor="middle" font-size="11" fill="#52606d">${isLimit ? '1 = the limit' : value}</text>`,
    ];
  });
}

function barOf({ name, value, before }: Bar, index: number): string[] {
  const goal = GOALS[name];
  const top = TOP + index * ROW_HEIGHT;
  const middle = top + ROW_HEIGHT / 2;
  const reached = isReached(goal, value);
  const isMissed = reached === false;
  const color = reached === null ? '#627d98' : isMissed ? '#d64545' : '#2f8f6b';
  const bar = (y: number, thickness: number, length: number, fill: string) =>
    `<rect x="${LABEL_WIDTH}" y="${y}" width="${Math.max(1, length - LABEL_WIDTH).toFixed(1)}" height="${thickness}" fill="${fill}"/>`;
  return [
    `<text x="${LABEL_WIDTH - 10}" y="${middle + 4}" text-anchor="end" fill="#1f2933">${escape(goal.label)}</text>`,
    bar(top + 5, 12, xOf(value), color),
    ...(before === undefined ? [] : [bar(top + 18, 4, xOf(before), '#9aa5b1')]),
    ...goalMark(goal, top),
    `<text x="${LABEL_WIDTH + BAR_WIDTH + 12}" y="${middle + 4}" fill="${isMissed ? '#a61b1b' : '#1f2933'}">${escape(`${digits(value)} ×`)}<tspan dx="6" fill="#52606d">${escape(goalText(goal))}</tspan></text>`,
  ];
}

function goalMark(goal: Goal, top: number): string[] {
  if (goal.atLeast === undefined) return [];
  const x = xOf(goal.atLeast).toFixed(1);
  return [`<line x1="${x}" y1="${top + 2}" x2="${x}" y2="${top + 20}" stroke="#102a43" stroke-width="3"/>`];
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
