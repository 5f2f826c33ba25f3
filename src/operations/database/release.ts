/** The version in package.json; a static test compares them. */
export const RELEASE = '1.0.0';

/** Compares release numbers: negative if `a` is older than `b`, positive if it is newer. */
export function compareReleases(a: string, b: string): number {
  const [left, right] = [a, b].map((release) => release.split('.').map(Number));
  for (let part = 0; part < 3; part += 1) {
    const difference = (left?.[part] ?? 0) - (right?.[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
