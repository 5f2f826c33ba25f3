import Table from 'cli-table3';
import type { Column } from './columns.ts';
import { printable } from './terminal.ts';

const GAP = 2;
/** Less of a text that may be cut says nothing. */
const SHORTEST_CUT = 12;

/** A table of lines that fit, its heading first; `omitted` are the columns for which there was no room. */
export type FittedTable = { lines: string[]; omitted: string[] };

type Row = Readonly<Record<string, unknown>>;
type FilledColumn = Column & { cells: string[]; width: number };

/**
 * The rows without borders, at most `width` wide: texts that may be cut are, down to 12 characters; then columns are left
 * out, the last one first. The first column is always there, whole.
 */
export function fitTable(columns: readonly Column[], rows: readonly Row[], width: number): FittedTable {
  const filled = columns.map((column) => fill(column, rows));
  let shown = filled;
  while (shown.length > 1 && shortestWidth(shown) > width) shown = shown.slice(0, -1);
  return {
    lines: draw(cut(shown, width)),
    omitted: filled.slice(shown.length).map(({ header }) => header),
  };
}

function fill(column: Column, rows: readonly Row[]): FilledColumn {
  const cells = rows.map((row) => printable(column.valueOf(row)));
  return { ...column, cells, width: cells.reduce(widerOf, displayWidth(column.header)) };
}

const widerOf = (width: number, cell: string) => Math.max(width, displayWidth(cell));

const shortest = ({ isCut, width, header }: FilledColumn) =>
  isCut ? Math.min(width, Math.max(SHORTEST_CUT, header.length)) : width;

function shortestWidth(columns: readonly FilledColumn[]): number {
  return sum(columns.map(shortest)) + GAP * (columns.length - 1);
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

/** Takes from the widest first, so that short texts stay whole. */
function cut(columns: readonly FilledColumn[], width: number): FilledColumn[] {
  const result = columns.map((column) => ({ ...column }));
  let excess = sum(result.map((column) => column.width)) + GAP * (result.length - 1) - width;
  for (; excess > 0; excess -= 1) {
    const widest = result
      .filter((column) => column.width > shortest(column))
      .toSorted((a, b) => b.width - a.width)[0];
    if (widest === undefined) break;
    widest.width -= 1;
  }
  return result;
}

const NO_BORDERS = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
    ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
  ].map((name) => [name, '']),
);

/** The library passes all rows of a table as arguments, of which there cannot be very many. */
const ROWS_AT_ONCE = 100;

function draw(columns: readonly FilledColumn[]): string[] {
  const count = columns[0]?.cells.length ?? 0;
  const head = columns.map(({ header }) => header);
  const lines = drawPart(columns, head, 0, ROWS_AT_ONCE);
  for (let from = ROWS_AT_ONCE; from < count; from += ROWS_AT_ONCE) {
    for (const line of drawPart(columns, [], from, from + ROWS_AT_ONCE)) lines.push(line);
  }
  return lines;
}

function drawPart(columns: readonly FilledColumn[], head: string[], from: number, to: number): string[] {
  const table = new Table({
    head,
    colWidths: columns.map(({ width }) => width + GAP),
    chars: NO_BORDERS,
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [], compact: true },
  });
  const count = columns[0]?.cells.length ?? 0;
  for (let index = from; index < Math.min(to, count); index += 1) {
    table.push(columns.map(({ cells }) => cells[index] ?? ''));
  }
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}

const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Extended_Pictographic}/u;
const COMBINING = /[\u0300-\u036F]|\u200D|\uFE0F/;

/** How many columns of a terminal a text takes, as the library that draws the table counts them. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (!COMBINING.test(character)) width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}
