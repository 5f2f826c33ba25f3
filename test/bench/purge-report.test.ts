import { describe, expect, test } from '@jest/globals';
import type { PurgeReport, PurgeWindow } from '../../bench/purge-report.ts';
import { isMissed } from '../../bench/purge-report.ts';

const windowOf = (holdP99: number, availabilityP99 = 10): PurgeWindow => ({
  hold: { p50: 5, p99: holdP99, max: 300 },
  availability: { p50: 2, p99: availabilityP99, max: 300 },
});

function reportOf(without: readonly PurgeWindow[], during: readonly PurgeWindow[]): PurgeReport {
  return {
    ...{ at: '2026-01-02T03:04:05.000Z', commit: 'abcdef12-dirty' },
    machine: { cores: 2, cpu: 'A processor of some kind with a long name', node: '20.20.2' },
    ...{ rows: 500_000, holdsPerSecond: 50, readsPerSecond: 100, windowSeconds: 10 },
    ...{ loadSeconds: 61.2, purgeSeconds: 512.4, minutes: 13.72, othersShare: 0.41 },
    ...{ without, during },
  };
}

describe('latency while a purge runs', () => {
  test.each([
    ['as without it', [windowOf(20)], [windowOf(20)], false],
    ['half as high again', [windowOf(20)], [windowOf(30)], false],
    ['higher than that', [windowOf(20)], [windowOf(30.1)], true],
    ['higher than that of availability alone', [windowOf(20, 10)], [windowOf(20, 15.1)], true],
    ['high in one window of three', [windowOf(20)], [windowOf(20), windowOf(90), windowOf(21)], false],
    ['not measured', [windowOf(20)], [], true],
  ])('%s: missed is %#', (_case, without, during, expected) => {
    expect(isMissed(reportOf(without, during))).toBe(expected);
  });
});
