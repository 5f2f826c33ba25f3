import type { VNode } from 'preact';
import type { DayCell } from '../booking/availability/day-grid.service.ts';
import { longDate, price, timeSpan, words } from './format.rules.ts';
import { Closed, type GridProps, Held, type InsideProps, Plain, Sellable, Shared, Taken } from './slot-states.tsx';

type CellProps = GridProps & { cell: DayCell; rows: number; column: number };

/** One slot: its state in a word, a drawing and a colour, and the one thing to be done with it. */
export function GridCell({ cell, rows, column, ...shown }: CellProps): VNode {
  const what = `${cell.resource.name}, ${timeSpan(cell.start, cell.end, shown.grid.venue.timeZone)}`;
  return (
    <td
      id={cell.slotId}
      class={`cell ${cell.state}`}
      rowspan={rows}
      data-cell={what}
      data-state={stateName(cell)}
      data-column={column}
    >
      <Inside cell={cell} what={`${what}, ${longDate(shown.grid.date)}`} {...shown} />
    </td>
  );
}

/** What a change of the cell is told as. */
function stateName({ state, occupants: [first] }: DayCell): string {
  return first === undefined ? words(state) : `${words(state)} ${first.holdId.slice(-4)}`;
}

function Inside({ cell, what, grid, nameOf }: InsideProps): VNode {
  const [first] = cell.occupants;
  switch (cell.state) {
    case 'held':
      return <Held {...{ cell, what, nameOf, grid }} />;
    case 'booked':
    case 'walk-in':
      return <Taken {...{ cell, what, nameOf, grid }} />;
    case 'shared':
      return <Shared cell={cell} grid={grid} by={first} />;
    case 'blackout':
      return <Closed cell={cell} what={what} grid={grid} />;
    case 'free':
      return <Sellable cell={cell} what={what} label="Free" />;
    case 'past':
      return cell.takesWalkIn ? (
        <Sellable cell={cell} what={what} label="Has begun" />
      ) : (
        <Plain label="Past" under={price(cell.pricePaise)} />
      );
    case 'beyond_horizon':
      return <Plain label="Not on sale yet" under={price(cell.pricePaise)} />;
    case 'inactive':
      return <Plain label="Inactive" under={price(cell.pricePaise)} />;
  }
}
