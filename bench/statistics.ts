/** The median: the mean of the middle two for an even number of values, NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (place: number) => sorted[place] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2;
}

/** The percentile of ascending values: `share` 0.99 for p99. NaN for no values. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export type Latency = { p50: number; p99: number; max: number };

/** Percentiles in the unit of the values. */
export function latencyOf(values: readonly number[]): Latency {
  const sorted = values.toSorted((a, b) => a - b);
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), max: sorted.at(-1) ?? Number.NaN };
}

export type Spread = { value: number; low: number; high: number };

/** Median, lowest and highest. */
export function spreadOf(values: readonly number[]): Spread {
  return { value: median(values), low: Math.min(...values), high: Math.max(...values) };
}
