import type { Run } from '../compare.ts';
import { byKind, cpuFigure, rateFigure } from '../compare.ts';
import { cpuText, digits, rangeOf } from '../figures.ts';
import type { Measurement } from '../measurement.ts';
import { measurementText, sectionOf } from '../measurement.ts';
import type { Latency, Spread } from '../statistics.ts';
import { spreadOf } from '../statistics.ts';

/** The run of a burst. `age`: milliseconds from event to arrival at a steady rate. */
export type SenderRun = Run & { age?: Latency };

/** The runs of each sender, one per round. */
export type Senders = Record<'limit' | 'outpost' | 'delivery' | 'whole', SenderRun[]>;

export type PeersReport = Measurement & { events: number; runs: number; senders: Senders };

const LABELS: Record<keyof Senders, string> = {
  limit: 'signed POST alone (undici), the limit',
  outpost: 'Outpost, tuned, its own API included',
  delivery: 'this product, delivery alone',
  whole: 'this product, from hold to webhook',
};

const HEADING = [
  'Sender',
  'delivered/s',
  'share of the limit',
  'CPU per event (× limit)',
  'latency at 200/s: p50 / p99',
];

/** The report for a terminal or a page. */
export function asTable(report: PeersReport): string {
  const { events, runs, minutes, senders } = report;
  const shares = Object.values(senders).flatMap((all) => all.map(({ othersShare }) => othersShare));
  const facts = [
    `${measurementText(report)}; ${events.toLocaleString('en-US')} events; rounds: ${runs}, medians (lowest–highest),`,
    `${minutes.toFixed(1)} min in all. Other processes took up to ${Math.round(Math.max(...shares) * 100)} % of the machine.`,
  ];
  const names = Object.keys(LABELS) as (keyof Senders)[];
  const rows = names.map((name) => [LABELS[name], ...cellsOf(senders[name], senders.limit)]);
  return sectionOf(facts.join(' '), HEADING, rows);
}

function cellsOf(runs: readonly SenderRun[], limit: readonly SenderRun[]): string[] {
  const cpu = cpuFigure(runs, limit);
  const ages = runs.flatMap(({ age }) => (age === undefined ? [] : [age]));
  const latency = (percentile: 'p50' | 'p99') => withRange(spreadOf(ages.map((age) => age[percentile])));
  return [
    withRange(spreadOf(runs.map(({ perSecond }) => perSecond))),
    withRange(rateFigure(runs, limit)),
    `${cpuText(byKind(cpu.productCpuUs ?? {}))} = ${digits(cpu.value)} ×`,
    ages.length === 0 ? '' : `${latency('p50')} / ${latency('p99')} ms`,
  ];
}

function withRange(spread: Spread): string {
  const range = rangeOf(spread);
  return digits(spread.value) + (range === '' ? '' : ` (${range})`);
}
