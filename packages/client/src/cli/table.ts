import Table from 'cli-table3';
import { printable } from './world.ts';

const GAP = 2;

const WITHOUT_BORDERS = Object.fromEntries(
  [
    ...'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right'.split(' '),
    ...'left left-mid mid mid-mid right right-mid middle'.split(' '),
  ].map((name) => [name, '']),
);

/** Rows under a heading, without borders. If a line is longer than `width`, wraps the cell of its last column. */
export function tableLines(head: readonly string[], rows: readonly (readonly string[])[], width: number): string[] {
  const cells = rows.map((row) => row.map(printable));
  const widths = head.map((name, column) => Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const before = widths.slice(0, -1).reduce((sum, each) => sum + each + GAP, 0);
  const last = Math.max(head.at(-1)?.length ?? 0, Math.min(widths.at(-1) ?? 0, width - before));
  const table = new Table({
    head: [...head],
    chars: WITHOUT_BORDERS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP },
    colWidths: [...widths.slice(0, -1), last].map((each) => each + GAP),
    wordWrap: true,
    wrapOnWordBoundary: false,
  });
  table.push(...cells);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}

/** One pair a line, with the values aligned. */
export function fieldLines(fields: readonly (readonly [name: string, value: string])[]): string[] {
  const width = Math.max(...fields.map(([name]) => name.length)) + GAP;
  return fields.map(([name, value]) => `${name.padEnd(width)}${printable(value)}`);
}
