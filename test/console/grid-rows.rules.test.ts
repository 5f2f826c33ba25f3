import { expect, test } from '@jest/globals';
import type { DayColumn } from '../../src/booking/availability/day-grid.service.ts';
import { gridRows } from '../../src/console/grid-rows.rules.ts';

/** A column of slots that start and end these minutes after midnight. */
const column = (...spans: [number, number][]): DayColumn =>
  ({
    cells: spans.map(([start, end]) => ({
      slotId: `${start}`,
      start: new Date(start * 60_000),
      end: new Date(end * 60_000),
    })),
  }) as unknown as DayColumn;

/** The table as text: a slot's start with its number of rows, a dash for a gap, a dot for a continued slot. */
const draw = (...columns: DayColumn[]) =>
  gridRows(columns).map(({ placed }) =>
    placed.map((each) => (each === undefined ? '.' : `${each.cell?.slotId ?? '-'}x${each.rows}`)).join(' '),
  );

test.each([
  [
    'a longer slot spans the rows of shorter ones in other columns',
    [column([0, 90]), column([0, 30], [30, 60], [60, 90])],
    ['0x3 0x1', '. 30x1', '. 60x1'],
  ],
  [
    'slots with different times begin in their own rows, with closed time as a gap',
    [column([0, 60], [120, 180]), column([30, 90])],
    ['0x2 -x1', '. 30x2', '-x2 .', '. -x2', '120x1 .'],
  ],
  ['time when all columns are closed is one row', [column([0, 60], [600, 660])], ['0x1', '-x1', '600x1']],
  ['a column without slots is one gap', [column(), column([0, 60])], ['-x1 0x1']],
  ['a day without slots has no row', [column()], []],
])('%s', (_what, columns, rows) => {
  expect(draw(...columns)).toEqual(rows);
});
