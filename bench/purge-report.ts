import wrapAnsi from 'wrap-ansi';
import type { Measurement } from './measurement.ts';
import { measurementText, sectionOf } from './measurement.ts';
import type { Latency, Spread } from './statistics.ts';
import { spreadOf } from './statistics.ts';

/** Latencies in one window of calls, in milliseconds. */
export type PurgeWindow = { hold: Latency; availability: Latency };

export type PurgeReport = Measurement & {
  /** Number of purged holds. */
  rows: number;
  holdsPerSecond: number;
  readsPerSecond: number;
  windowSeconds: number;
  loadSeconds: number;
  /** Seconds until all holds were deleted, without the pauses of the purge. */
  purgeSeconds: number;
  /** The largest share of the machine that other processes took in a window, from 0 to 1. */
  othersShare: number;
  without: readonly PurgeWindow[];
  during: readonly PurgeWindow[];
};

const WIDTH = 80;
/** Goal: the highest p99 during a purge, as a multiple of the p99 without one. */
const MAX_RATIO = 1.5;

type Comparison = { label: string; without: Spread; during: Spread; ratio: number; isMissed: boolean };

/** Compares the medians of the windows. Without a window the ratio is NaN, which misses the goal. */
function compare({ without, during }: PurgeReport): Comparison[] {
  return (['hold', 'availability'] as const).flatMap((call) =>
    (['p50', 'p99'] as const).map((percentile): Comparison => {
      const spread = (windows: readonly PurgeWindow[]) => spreadOf(windows.map((window) => window[call][percentile]));
      const [before, after] = [spread(without), spread(during)];
      const ratio = after.value / before.value;
      return {
        label: `${call}, ${percentile}`,
        without: before,
        during: after,
        ratio,
        isMissed: percentile === 'p99' && !(ratio <= MAX_RATIO),
      };
    }),
  );
}

/** Whether a p99 is more than `MAX_RATIO` times as high during the purge. */
export const isMissed = (report: PurgeReport): boolean => compare(report).some((each) => each.isMissed);

const ms = (value: number): string => value.toFixed(value < 100 ? 1 : 0);
const spreadText = ({ value, low, high }: Spread): string => `${ms(value)} (${ms(low)}–${ms(high)})`;

const rowsOf = (report: PurgeReport): string[][] =>
  compare(report).map(({ label, without, during, ratio, isMissed: missed }) => [
    label,
    spreadText(without),
    spreadText(during),
    `${ratio.toFixed(2)} ×`,
    label.endsWith('p99') ? `≤ ${MAX_RATIO}` : '',
    missed ? 'missed' : '',
  ]);

function factsOf(report: PurgeReport): string {
  const { rows, purgeSeconds, without, during, windowSeconds } = report;
  return [
    `${measurementText(report)}.`,
    `${rows.toLocaleString('en-US')} holds were purged in ${Math.round(purgeSeconds)} s,`,
    `${Math.round(rows / purgeSeconds)} a second,`,
    `during ${report.holdsPerSecond} holds and ${report.readsPerSecond} reads of availability a second.`,
    `The table has milliseconds: medians of ${without.length} windows of ${windowSeconds} s without a purge and ${during.length} during it;`,
    `other processes took up to ${Math.round(report.othersShare * 100)} % of the machine;`,
    `loading took ${Math.round(report.loadSeconds)} s, the whole run ${report.minutes.toFixed(1)} min.`,
  ].join(' ');
}

/** For a terminal of 80 columns. */
export function asText(report: PurgeReport): string {
  const line = ([label = '', without = '', during = '', ratio = '', goal = '', verdict = '']: string[]) =>
    `${label.padEnd(18)}${without.padStart(20)}${during.padStart(20)}${ratio.padStart(8)}${goal.padStart(6)} ${verdict}`.trimEnd();
  const heading = line(['', 'without', 'while it purges', 'ratio', '']);
  return [heading, ...rowsOf(report).map(line), wrapAnsi(factsOf(report), WIDTH)].join('\n');
}

/** A section of docs/evidence/scaling.md. */
export const asMarkdown = (report: PurgeReport): string =>
  sectionOf(
    factsOf(report),
    ['Response time (ms)', 'Without a purge', 'During a purge', 'Ratio', 'Goal', 'Verdict'],
    rowsOf(report),
  );
