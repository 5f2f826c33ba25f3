/** The nearest-rank percentile of ascending values: the least value that at least `percent` % do not exceed; null of none. */
export function percentile(ascending: readonly number[], percent: number): number | null {
  const rank = Math.ceil((percent / 100) * ascending.length);
  return ascending[Math.max(rank, 1) - 1] ?? null;
}
