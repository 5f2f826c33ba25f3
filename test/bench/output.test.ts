import { describe, expect, test } from '@jest/globals';
import stringWidth from 'string-width';
import { asChart } from '../../bench/chart.ts';
import { digits } from '../../bench/figures.ts';
import { FIGURE_NAMES, GOALS } from '../../bench/goals.ts';
import { asMarkdown } from '../../bench/markdown.ts';
import { asTable } from '../../bench/table.ts';
import { withFigures } from '../../scripts/figures-in-page.ts';
import { figureOf, reportOf } from './reports.ts';

test.each([
  [37_644.2, '37,644'],
  [145.3, '145'],
  [58.52, '58.5'],
  [5, '5.00'],
  [0.1024, '0.10'],
  [0.0034, '0.003'],
  [0, '0.00'],
  [Number.NaN, '–'],
])('%d is written as %s', (value, text) => {
  expect(digits(value)).toBe(text);
});

describe('the table', () => {
  test.each([0.0034, 0.5, 12_345.6])('with each figure %d is no wider than a terminal', (value) => {
    const lines = asTable(reportOf(value)).split('\n');
    expect(lines.filter((line) => stringWidth(line) > 80)).toEqual([]);
  });

  test('has a line for each figure, with its goal and whether that is reached', () => {
    const lines = asTable(reportOf(0.6)).split('\n');
    for (const name of FIGURE_NAMES)
      expect(lines.some((line) => line.startsWith(GOALS[name].label))).toBe(true);
    expect(lines.find((line) => line.startsWith('confirm'))).toMatch(
      /1,409 .*0\.60 x .*0\.54–0\.66 .*≥ 0\.6 ✓$/,
    );
    expect(lines.find((line) => line.startsWith('hold, workers stopped'))).toMatch(/≥ 0\.84 ✗$/);
  });

  test('leaves out what was not measured', () => {
    const text = asTable(reportOf({ confirm: figureOf(1) }));
    expect(text).toContain('confirm');
    expect(text).not.toContain('hold');
    expect(text).toContain('Every goal is reached.');
  });
});

/** The length of the bar of each row, from the top down. */
function barLengths(svg: string): number[] {
  return [...svg.matchAll(/<rect x="240" y="\d+" width="([\d.]+)" height="12"/g)].map(([, width]) =>
    Number(width),
  );
}

describe('the chart', () => {
  const drawn = FIGURE_NAMES.filter((name) => GOALS[name].unit === 'x' && !('atMost' in GOALS[name]));

  test('has a bar for each ratio that is to be high', () => {
    const svg = asChart(reportOf(0.5));
    expect(barLengths(svg)).toHaveLength(drawn.length);
    for (const name of drawn) expect(svg).toContain(GOALS[name].label.replaceAll('<', '&lt;'));
  });

  test('is well-formed: what is opened is closed, and text is escaped', () => {
    const svg = asChart(reportOf(0.5), reportOf(0.1));
    const open: string[] = [];
    for (const [, closing, name = '', rest = ''] of svg.matchAll(/<(\/?)([a-z]+)([^<>]*)>/g)) {
      if (closing === '/') expect(open.pop()).toBe(name);
      else if (!rest.endsWith('/')) open.push(name);
    }
    expect(open).toEqual([]);
    expect(svg.replaceAll(/<[^<>]*>/g, '')).not.toMatch(/[<>]/);
  });

  test('draws a higher ratio longer, and none beyond its scale', () => {
    const of = (value: number) => barLengths(asChart(reportOf({ hold: figureOf(value) })))[0] ?? Number.NaN;
    expect(of(0.1)).toBeLessThan(of(0.2));
    expect(of(0)).toBeGreaterThan(0);
    expect(of(1e6)).toBeLessThanOrEqual(400);
  });

  test('has a thin bar of what was measured before', () => {
    const report = reportOf({ hold: figureOf(0.5) });
    expect(asChart(report)).not.toContain('height="4"');
    expect(asChart(report, reportOf({ hold: figureOf(0.1) }))).toContain('height="4"');
  });
});

describe('the page', () => {
  const page =
    '# Title\n\n<!-- figures: npm run bench -- --write -->\n| old |\n<!-- end of figures -->\n\nMore.\n';

  test('has the figures between its marks, and all else as it was', () => {
    const text = withFigures(page, 'bench', `${asMarkdown(reportOf(0.6), reportOf(0.1))}\n`);
    expect(text).toMatch(/^# Title\n\n<!-- figures[^]*\| confirm[^]*end of figures -->\n\nMore\.\n$/);
    expect(text).not.toContain('| old |');
    expect(text).toContain('**0.60 ×**');
  });

  test('has as many cells in each row as in its head', () => {
    for (const before of [undefined, reportOf(0.1)]) {
      const rows = asMarkdown(reportOf(0.6), before)
        .split('\n')
        .filter((line) => line.startsWith('|'));
      expect(new Set(rows.map((row) => row.split('|').length)).size).toBe(1);
    }
  });

  test('that has lost its marks is not written', () => {
    expect(() => withFigures('# Title\n', 'bench', '')).toThrow('has lost the marks');
  });
});
