import type { DayColumn, GridCell } from '../booking/availability/day-grid.service.ts';

/** The content of one column in a row: a cell that begins there, or a gap while the resource is closed. */
type Placement = { rows: number; cell: GridCell | null };

/**
 * A row from `start` to `end`: for each column the content that begins there, undefined if content from above
 * continues.
 */
export type GridRow = { start: Date; end: Date; placed: (Placement | undefined)[] };

/**
 * Lays a day out as a table, with one row between two successive instants at which any slot begins or ends. Slots of
 * different lengths thus stand side by side at their times.
 */
export function gridRows(columns: readonly DayColumn[]): GridRow[] {
  const edges = [
    ...new Set(columns.flatMap(({ cells }) => cells.flatMap(({ start, end }) => [start.getTime(), end.getTime()]))),
  ].sort((a, b) => a - b);
  const placed = columns.map(({ cells }) => placeColumn(cells, edges));
  return edges.slice(0, -1).map((startMs, row) => ({
    start: new Date(startMs),
    end: new Date(edges[row + 1] ?? startMs),
    placed: placed.map((column) => column.get(row)),
  }));
}

function placeColumn(cells: readonly GridCell[], edges: readonly number[]): Map<number, Placement> {
  const rowOf = new Map(edges.map((edge, row) => [edge, row]));
  const placed = new Map<number, Placement>();
  let row = 0;
  const addGapUntil = (next: number) => {
    if (next > row) placed.set(row, { rows: next - row, cell: null });
  };
  for (const cell of cells) {
    const [first, end] = [rowOf.get(cell.start.getTime()) ?? 0, rowOf.get(cell.end.getTime()) ?? 0];
    addGapUntil(first);
    placed.set(first, { rows: end - first, cell });
    row = end;
  }
  addGapUntil(edges.length - 1);
  return placed;
}
