import wrapAnsi from 'wrap-ansi';
import type { Measurement } from './measurement.ts';
import { measurementText, sectionOf } from './measurement.ts';

export type LargeReport = Measurement & {
  rows: number;
  /** Milliseconds by measurement, with nearly empty and with full databases. */
  few: Record<string, number>;
  many: Record<string, number>;
  loadSeconds: number;
  /** Disk space of a reservation, including its index entries. */
  bytesPerReservation: number;
};

const WIDTH = 80;
const MAX_RATIO = 2;

const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

type Comparison = { name: string; before: number; after: number; ratio: number; isMissed: boolean };

function compare({ few, many }: LargeReport): Comparison[] {
  return Object.entries(many).map(([name, after]) => {
    const before = few[name] ?? Number.NaN;
    const ratio = after / before;
    return { name, before, after, ratio, isMissed: !(ratio <= MAX_RATIO) };
  });
}

/** Whether a measurement takes more than twice as long with full databases. */
export const isMissed = (report: LargeReport): boolean => compare(report).some((each) => each.isMissed);

const rowsOf = (report: LargeReport): string[][] =>
  compare(report).map(({ name, before, after, ratio, isMissed: missed }) => [
    name,
    ms(before),
    ms(after),
    `${ratio.toFixed(2)} ×`,
    missed ? 'missed' : '',
  ]);

const factsOf = (report: LargeReport): string => {
  const { rows, loadSeconds, bytesPerReservation, minutes } = report;
  return [
    `${measurementText(report)};`,
    `${rows.toLocaleString('en-US')} reservations and as many jobs, loaded in ${Math.round(loadSeconds)} s;`,
    `a reservation takes ${Math.round(bytesPerReservation)} bytes; ${minutes.toFixed(1)} min.`,
  ].join(' ');
};

/** For a terminal of 80 columns. */
export function asText(report: LargeReport): string {
  const lines = rowsOf(report).map(([name = '', before = '', after = '', ratio = '', verdict = '']) =>
    `${name.padEnd(32)}${before.padStart(11)}${after.padStart(11)}${ratio.padStart(9)}  ${verdict}`.trimEnd(),
  );
  return [...lines, wrapAnsi(factsOf(report), WIDTH)].join('\n');
}

export const asMarkdown = (report: LargeReport): string =>
  sectionOf(
    factsOf(report),
    ['Measurement', 'Nearly empty', 'Full', `Ratio (goal: at most ${MAX_RATIO})`, 'Verdict'],
    rowsOf(report),
  );
