import { FIGURE_NAMES } from '../../bench/goals.ts';
import type { Figure, Report } from '../../bench/report.ts';

/** A report with these figures, or one in which every figure is `value`. */
export function reportOf(figures: Report['figures'] | number): Report {
  const all = typeof figures === 'number' ? everyFigure(figures) : figures;
  return {
    at: '2026-01-02T03:04:05.000Z',
    commit: 'abcdef12',
    machine: { cores: 2, cpu: 'A processor <of some kind>', memoryGb: 16, node: '20.19.0' },
    ...{ runs: 3, seconds: 2.5, minutes: 7.25, othersShare: 0.031 },
    figures: all,
  };
}

export const figureOf = (value: number): Figure => ({ value, low: value * 0.9, high: value * 1.1 });

const everyFigure = (value: number): Report['figures'] =>
  Object.fromEntries(
    FIGURE_NAMES.map((name) => [
      name,
      {
        ...figureOf(value),
        ...{ product: 1409.4, limit: 37_600, note: 'of 50,000 bookings' },
        productCpuUs: { api: 5612, mongod: 4100, redis: 300, 'webhook-delivery': 3800, 'hold-expiry': 4500 },
        limitCpuUs: { client: 420, mongod: 620 },
      },
    ]),
  );
