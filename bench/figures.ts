import type { Goal } from './goals.ts';
import type { CpuUs } from './report.ts';
import type { Spread } from './statistics.ts';

/** Formats a value with about three digits: 1,409, 14.1, 0.10 or 0.003. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  if (value >= 10) return value.toFixed(1);
  return value.toFixed(value !== 0 && value < 0.05 ? 3 : 2);
}

export const withUnit = (value: number, { unit }: Goal): string => `${digits(value)} ${unit}`;

/** `0.09–0.11`; empty after a single round. */
export function rangeOf({ low, high }: Spread): string {
  return low === high ? '' : `${digits(low)}–${digits(high)}`;
}

/** `≥ 0.5`; empty without a goal. */
export function goalText({ atLeast, atMost }: Goal): string {
  if (atLeast !== undefined) return `≥ ${atLeast}`;
  return atMost === undefined ? '' : `≤ ${atMost}`;
}

/** Total milliseconds and those of each process, largest first. Omits processes below 1 %. */
export function cpuText(cpuUs: CpuUs): string {
  const sum = Object.values(cpuUs).reduce((all, us) => all + us, 0);
  const shown = Object.entries(cpuUs).filter(([, us]) => us >= sum * 0.01);
  const parts = shown.sort(([, a], [, b]) => b - a).map(([name, us]) => `${name} ${digits(us / 1000)}`);
  return `${digits(sum / 1000)} ms (${parts.join(', ')})`;
}
