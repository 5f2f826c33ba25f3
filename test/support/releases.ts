import type { afterAll } from '@jest/globals';

type Release = () => Promise<unknown>;

/** Returns a function that registers releases, which run in reverse order after each test or after all tests. */
export function releasing(when: typeof afterAll): (...more: readonly Release[]) => void {
  const releases: Release[] = [];
  when(async () => {
    for (const release of releases.splice(0).reverse()) await release();
  });
  return (...more) => void releases.push(...more);
}
