import type { VNode } from 'preact';
import type { DayCell } from '../booking/availability/day-grid.service.ts';
import { longDate, timeSpan, words } from './format.rules.ts';
import { Closed, type GridProps, Held, type InsideProps, Sellable, Shared, Taken, Unsold } from './slot-states.tsx';

type CellProps = GridProps & { cell: DayCell; rows: number; column: number };

/** One slot: its state as a word, an icon and a colour, and its action. */
export function GridCell({ cell, rows, column, ...shown }: CellProps): VNode {
  const Inside = INSIDES[cell.state];
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

/** The announcement of a change of the cell. */
function stateName({ state, occupants: [first] }: DayCell): string {
  return first === undefined ? words(state) : `${words(state)} ${first.holdId.slice(-4)}`;
}

const INSIDES: Record<DayCell['state'], (props: InsideProps) => VNode> = {
  held: Held,
  booked: Taken,
  'walk-in': Taken,
  shared: Shared,
  blackout: Closed,
  free: (props) => <Sellable {...props} label="Free" />,
  past: (props) =>
    props.cell.takesWalkIn ? <Sellable {...props} label="Has begun" /> : <Unsold {...props} label="Past" />,
  beyond_horizon: (props) => <Unsold {...props} label="Not on sale yet" />,
  inactive: (props) => <Unsold {...props} label="Inactive" />,
};
