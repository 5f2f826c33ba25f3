import type { afterAll } from '@jest/globals';

type Release = () => Promise<unknown>;

/** Returns what registers the end of something that a test has started: in reverse, after each test or after all. */
export function releasing(when: typeof afterAll): (...more: readonly Release[]) => void {
  const releases: Release[] = [];
  when(async () => {
    for (const release of releases.splice(0).reverse()) await release();
  });
  return (...more) => void releases.push(...more);
}
