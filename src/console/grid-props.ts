import type { DayCell, DayGrid } from '../availability/day-grid.service.ts';

/** What every part of the grid's page is given. */
export type GridProps = { grid: DayGrid; nameOf: (partnerId: string) => string };

/** What the inside of a cell is given; `what` names the slot. */
export type InsideProps = GridProps & { cell: DayCell; what: string };
