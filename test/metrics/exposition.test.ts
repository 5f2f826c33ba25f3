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

  test('control: put one after the other they are refused', () => {
    expect(() => parseExposition(`${queue('a')}\n${queue('b')}\n`)).toThrow('not together');
  });

  test('of which there are none are nothing', () => {
    expect(mergeExpositions([])).toBe('');
  });
});

describe('control: the reader refuses', () => {
  const head = '# HELP a Text\n# TYPE a gauge\n';
  test.each([
    ['a sample without a metric', 'a 1\n', 'Under no metric'],
    ['a metric without a help', '# TYPE a gauge\na 1\n', 'lacks'],
    ['a sample of another metric', `${head}b 1\n`, 'Under a'],
    ['the same sample twice', `${head}a{x="1"} 1\na{x="1"} 2\n`, 'twice'],
    ['the same label twice', `${head}a{x="1",x="2"} 1\n`, 'Bad labels'],
    ['a value that is none', `${head}a one\n`, 'No line'],
    ['an open label', `${head}a{x="1} 1\n`, 'Bad labels'],
    ['a counter that is not named so', '# HELP a Text\n# TYPE a counter\na 1\n', 'not a _total'],
    [
      'a histogram without its last bucket',
      '# HELP a Text\n# TYPE a histogram\na_bucket{le="1"} 1\na_sum 1\na_count 1\n',
      '+Inf',
    ],
    ['a text that breaks off', `${head}a 1`, 'no end'],
  ])('%s', (_what, text, fault) => {
    expect(() => parseExposition(text)).toThrow(fault);
  });

  test('and takes what is right', () => {
    expect(parseExposition(`${head}a{x="1 \\" }"} +Inf\n`).get('a')?.samples).toEqual([
      { name: 'a', labels: { x: '1 \\" }' }, value: Infinity },
    ]);
  });
});
