import { compareReleases } from '../src/database/release.ts';

/** The one of the highest number in docs/releases/commits.json, which has the commit of each release by its number. */
export function newestRelease(
  commits: Readonly<Record<string, string>>,
): { release: string; commit: string } | undefined {
  const [release, commit] = Object.entries(commits).toSorted(([a], [b]) => compareReleases(b, a))[0] ?? [];
  return release === undefined || commit === undefined ? undefined : { release, commit };
}
