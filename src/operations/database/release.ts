/** The number of this release, that of package.json; a static test holds the two together. */
export const RELEASE = '1.0.0';

/** Below 0 where release `a` is older than `b`, above where newer; of numbers with dots alone. */
export function compareReleases(a: string, b: string): number {
  const [left, right] = [a, b].map((release) => release.split('.').map(Number));
  for (let part = 0; part < 3; part += 1) {
    const difference = (left?.[part] ?? 0) - (right?.[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
