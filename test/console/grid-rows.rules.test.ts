import { expect, test } from '@jest/globals';
import type { DayColumn } from '../../src/booking/availability/day-grid.service.ts';
import { gridRows } from '../../src/console/grid-rows.rules.ts';

/** A column with slots from and to these minutes after some midnight. */
const column = (...spans: [number, number][]): DayColumn =>
  ({
    cells: spans.map(([from, to]) => ({
      slotId: `${from}`,
      start: new Date(from * 60_000),
      end: new Date(to * 60_000),
    })),
  }) as unknown as DayColumn;

/** The table as text: what begins in a row with how many rows it takes, a dash for a gap, a dot where something reaches in. */
const drawn = (...columns: DayColumn[]) =>
  gridRows(columns).map(({ placed }) =>
    placed.map((each) => (each === undefined ? '.' : `${each.cell?.slotId ?? '-'}x${each.rows}`)).join(' '),
  );

test('slots of one length make one row each', () => {
  expect(drawn(column([0, 60], [60, 120]), column([0, 60], [60, 120]))).toEqual(['0x1 0x1', '60x1 60x1']);
});

test('a longer slot reaches over the rows of the shorter ones beside it', () => {
  expect(drawn(column([0, 90]), column([0, 30], [30, 60], [60, 90]))).toEqual(['0x3 0x1', '. 30x1', '. 60x1']);
});

test('slots that are out of step stand at their own times, with what is closed as a gap', () => {
  expect(drawn(column([0, 60], [120, 180]), column([30, 90]))).toEqual([
    '0x2 -x1',
    '. 30x2',
    '-x2 .',
    '. -x2',
    '120x1 .',
  ]);
});

test('time in which everything is closed is one row, and a day without slots has none', () => {
  expect(drawn(column([0, 60], [600, 660]))).toEqual(['0x1', '-x1', '600x1']);
  expect(drawn(column(), column([0, 60]))).toEqual(['-x1 0x1']);
  expect(drawn(column())).toEqual([]);
});

test('every row of every column is taken exactly once', () => {
  const columns = [column([0, 45], [45, 90], [200, 245]), column([10, 100]), column([90, 205])];
  const rows = gridRows(columns);
  for (const index of columns.keys()) {
    const taken = rows.reduce((sum, { placed }) => sum + (placed[index]?.rows ?? 0), 0);
    expect(taken).toBe(rows.length);
  }
});
