import { afterEach, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { WatchedPage } from './browser.ts';

/** Closes the pages that a test has opened, and fails the test if they have faults. */
export function openedPages() {
  const opened: WatchedPage[] = [];
  const tolerated: RegExp[] = [];
  afterEach(async () => {
    const faults = opened.flatMap((watched) => watched.faults);
    for (const { close } of opened.splice(0)) await close();
    const patterns = tolerated.splice(0);
    expect(faults.filter((fault) => !patterns.some((pattern) => pattern.test(fault)))).toEqual([]);
  });
  return {
    add: (watched: WatchedPage): Page => {
      opened.push(watched);
      return watched.page;
    },
    /** Ignores matching faults of this test's pages. */
    tolerate: (pattern: RegExp): void => void tolerated.push(pattern),
  };
}
