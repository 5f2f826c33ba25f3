/** The version in package.json; a static test compares them. */
export const RELEASE = '1.0.0';

/** Negative if release `one` is older than `other`, positive if it is newer, 0 if they are equal. */
export function compareReleases(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
