import stringWidth from 'string-width';
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
 * The rows without borders, at most `width` wide: texts that may be cut are, down to 12 columns of the terminal; then columns
 * are left out, the last one first. The first column is always there, whole.
 */
export function fitTable(columns: readonly Column[], rows: readonly Row[], width: number): FittedTable {
  const filled = columns.map((column) => fill(column, rows));
  let shown = filled;
  while (shown.length > 1 && totalWidth(shown.map(shortest)) > width) shown = shown.slice(0, -1);
  const fitted = cut(shown, width);
  const line = (cellOf: (column: FilledColumn) => string) =>
    fitted
      .map((column) => fitText(cellOf(column), column.width))
      .join(' '.repeat(GAP))
      .trimEnd();
  return {
    lines: [line(({ header }) => header), ...rows.map((_, index) => line(({ cells }) => cells[index] ?? ''))],
    omitted: filled.slice(shown.length).map(({ header }) => header),
  };
}

function fill(column: Column, rows: readonly Row[]): FilledColumn {
  const cells = rows.map((row) => printable(column.valueOf(row)));
  const width = cells.reduce((most, cell) => Math.max(most, stringWidth(cell)), stringWidth(column.header));
  return { ...column, cells, width };
}

const shortest = ({ isCut, width, header }: FilledColumn) =>
  isCut ? Math.min(width, Math.max(SHORTEST_CUT, header.length)) : width;

function totalWidth(widths: readonly number[]): number {
  return widths.reduce((total, each) => total + each, 0) + GAP * (widths.length - 1);
}

/** Takes from the widest first, so that short texts stay whole. */
function cut(columns: readonly FilledColumn[], width: number): FilledColumn[] {
  const result = columns.map((column) => ({ ...column }));
  for (let excess = totalWidth(result.map((column) => column.width)) - width; excess > 0; excess -= 1) {
    const [widest] = result
      .filter((column) => column.width > shortest(column))
      .toSorted((a, b) => b.width - a.width);
    if (widest === undefined) break;
    widest.width -= 1;
  }
  return result;
}

const LETTERS = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The text as wide as its column: filled up with spaces, or cut between two letters, with an ellipsis at its end. */
export function fitText(text: string, width: number): string {
  const missing = width - stringWidth(text);
  if (missing >= 0) return text + ' '.repeat(missing);
  let kept = '';
  let left = width - 1;
  for (const { segment } of LETTERS.segment(text)) {
    left -= stringWidth(segment);
    if (left < 0) break;
    kept += segment;
  }
  return fitText(`${kept}…`, width);
}
