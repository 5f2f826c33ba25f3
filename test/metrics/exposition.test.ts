import { describe, expect, test } from '@jest/globals';
import { mergeExpositions } from '../../src/operations/metrics/figures.ts';
import { parseExposition } from '../support/exposition.ts';

const queue = (name: string) =>
  [
    '# HELP jobs Number of jobs',
    '# TYPE jobs gauge',
    `jobs{queue="${name}", state="waiting"} 1`,
    '# HELP done_total Jobs done',
    '# TYPE done_total counter',
    `done_total{queue="${name}"} 2`,
  ].join('\n');

describe('texts that repeat each other’s metrics', () => {
  test('are merged into a valid one with every sample', () => {
    const families = parseExposition(mergeExpositions([queue('a'), queue('b')]));
    expect([...families.keys()]).toEqual(['jobs', 'done_total']);
    expect(families.get('jobs')?.samples.map(({ labels }) => labels['queue'])).toEqual(['a', 'b']);
  });
});
