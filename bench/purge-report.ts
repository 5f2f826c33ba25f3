import wrapAnsi from 'wrap-ansi';
import type { Measured } from './measured.ts';
import { measuredText, sectionOf } from './measured.ts';
import type { Latency, Spread } from './statistics.ts';
import { spreadOf } from './statistics.ts';

/** Milliseconds of the calls of one window. */
export type PurgeWindow = { hold: Latency; availability: Latency };

export type PurgeReport = Measured & {
  /** How many holds were purged. */
  rows: number;
  holdsPerSecond: number;
  readsPerSecond: number;
  windowSeconds: number;
  loadSeconds: number;
  /** For how long a process purged, until all were gone. */
  purgeSeconds: number;
  /** The largest share of the machine that others took in a window, from 0 to 1. */
  othersShare: number;
  without: readonly PurgeWindow[];
  during: readonly PurgeWindow[];
};

const WIDTH = 80;
/** What p99 may be while a purge runs, as a multiple of what it is without one. */
const AT_MOST = 1.5;

type Compared = { label: string; without: Spread; during: Spread; ratio: number; isMissed: boolean };

/** Medians of the windows; NaN where none was measured, which is a miss. */
function compare({ without, during }: PurgeReport): Compared[] {
  return (['hold', 'availability'] as const).flatMap((call) =>
    (['p50', 'p99'] as const).map((share): Compared => {
      const of = (windows: readonly PurgeWindow[]) => spreadOf(windows.map((window) => window[call][share]));
      const [before, after] = [of(without), of(during)];
      const ratio = after.value / before.value;
      return {
        label: `${call}, ${share}`,
        without: before,
        during: after,
        ratio,
        isMissed: share === 'p99' && !(ratio <= AT_MOST),
      };
    }),
  );
}

/** Whether a p99 is more than 1.5 times as high while the purge runs. */
export const isMissed = (report: PurgeReport): boolean => compare(report).some((each) => each.isMissed);

const ms = (value: number): string => value.toFixed(value < 100 ? 1 : 0);
const spreadText = ({ value, low, high }: Spread): string => `${ms(value)} (${ms(low)}–${ms(high)})`;

const rowsOf = (report: PurgeReport): string[][] =>
  compare(report).map(({ label, without, during, ratio, isMissed: missed }) => [
    label,
    spreadText(without),
    spreadText(during),
    `${ratio.toFixed(2)} ×`,
    label.endsWith('p99') ? `≤ ${AT_MOST}` : '',
    missed ? 'missed' : '',
  ]);

function factsOf(report: PurgeReport): string {
  const { rows, purgeSeconds, without, during, windowSeconds } = report;
  return [
    `${measuredText(report)}.`,
    `${rows.toLocaleString('en-US')} holds were purged in ${Math.round(purgeSeconds)} s,`,
    `${Math.round(rows / purgeSeconds)} a second,`,
    `beside ${report.holdsPerSecond} holds and ${report.readsPerSecond} reads of availability a second.`,
    `Milliseconds, medians of ${without.length} windows of ${windowSeconds} s without it and ${during.length} with it;`,
    `others took up to ${Math.round(report.othersShare * 100)} % of the machine;`,
    `loading took ${Math.round(report.loadSeconds)} s, all of it ${report.minutes.toFixed(1)} min.`,
  ].join(' ');
}

/** For a terminal of 80 columns. */
export function asText(report: PurgeReport): string {
  const line = ([label = '', without = '', during = '', ratio = '', goal = '', verdict = '']: string[]) =>
    `${label.padEnd(18)}${without.padStart(20)}${during.padStart(20)}${ratio.padStart(8)}${goal.padStart(6)} ${verdict}`.trimEnd();
  const heading = line(['', 'without', 'while it purges', 'ratio', '']);
  return [heading, ...rowsOf(report).map(line), wrapAnsi(factsOf(report), WIDTH)].join('\n');
}

/** A part of docs/evidence/scaling.md. */
export const asMarkdown = (report: PurgeReport): string =>
  sectionOf(factsOf(report), ['ms', 'Without a purge', 'While it runs', 'Ratio', 'At most', ''], rowsOf(report));
