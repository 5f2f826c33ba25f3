import type { VNode } from 'preact';
import type { DayColumn, DayGrid, GridCell } from '../booking/availability/day-grid.service.ts';
import { dayBounds, localDateOf, localTimeOf } from '../platform/calendar.ts';
import { longDate, timeSpan, words, zoneName } from './format.rules.ts';
import { type GridRow, gridRows } from './grid-rows.rules.ts';
import { claimPath } from './links.tsx';
import { Badge, Icon, Section, Table } from './parts.tsx';
import { CELL_CONTENTS, type GridProps } from './slot-states.tsx';

/** The day as a table with one column for each resource and one row for each time. */
export function GridTable({ grid, nameOf }: GridProps): VNode {
  const rows = gridRows(grid.columns);
  // If any slot spans several rows, all rows are drawn less high.
  const isFineGrained = rows.some(({ placed }) =>
    placed.some((each) => each !== undefined && each.rows > 1 && each.cell),
  );
  if (rows.length === 0) return <p class="faint">Nothing is open on this day.</p>;
  return (
    <div class="scroll grid-scroll" id="grid-scroll" data-keep-scroll>
      <table
        class={isFineGrained ? 'grid fine' : 'grid'}
        width={72 + 152 * grid.columns.length}
        aria-describedby="grid-keys"
      >
        <caption class="unseen">Slots by time and resource</caption>
        <thead>
          <tr>
            <th scope="col" class="corner">
              Time
            </th>
            {grid.columns.map((column) => (
              <ColumnHead column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row row={row} grid={grid} nameOf={nameOf} />
          ))}
        </tbody>
      </table>
      <p id="grid-keys" class="unseen">
        The arrow keys move between slots; Enter opens a slot.
      </p>
    </div>
  );
}

function ColumnHead({ column: { resource, sharesWith } }: { column: DayColumn }): VNode {
  return (
    <th scope="col">
      {resource.name}
      {resource.status === 'inactive' ? <span class="badge">inactive</span> : null}
      <span class="under">{`${resource.sportCategory}, ${resource.durationMinutes} min`}</span>
      {sharesWith.length === 0 ? null : (
        <span class="under">
          <Icon name="link" /> {`shares space with ${sharesWith.map(({ name }) => name).join(', ')}`}
        </span>
      )}
    </th>
  );
}

function Row({ row, grid, nameOf }: GridProps & { row: GridRow }): VNode {
  const isNow = row.start <= grid.now && grid.now < row.end;
  return (
    <tr class={isNow ? 'now' : undefined}>
      <th scope="row">
        <RowTime at={row.start} grid={grid} />
        {isNow ? <span class="under">now</span> : null}
      </th>
      {row.placed.map((placed, index) =>
        placed === undefined ? null : placed.cell === null ? (
          <td class="cell gap" rowspan={placed.rows}>
            <span class="unseen">closed</span>
          </td>
        ) : (
          <GridCell cell={placed.cell} rows={placed.rows} column={index} grid={grid} nameOf={nameOf} />
        ),
      )}
    </tr>
  );
}

type CellProps = GridProps & { cell: GridCell; rows: number; column: number };

/** One slot: its state as a word, an icon and a colour, and its action. */
function GridCell({ cell, rows, column, ...shown }: CellProps): VNode {
  const Content = CELL_CONTENTS[cell.state];
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
      <Content cell={cell} what={`${what}, ${longDate(shown.grid.date)}`} {...shown} />
    </td>
  );
}

/** The state and the end of the first hold's id: the script announces the cell when this text changes. */
function stateName({ state, occupants: [first] }: GridCell): string {
  return first === undefined ? words(state) : `${words(state)} ${first.holdId.slice(-4)}`;
}

/** The wall time, with its UTC offset on days when the clocks change: a time may come twice. */
function RowTime({ at, grid: { venue, date } }: { at: Date; grid: DayGrid }): VNode {
  const { start, end } = dayBounds(date, venue.timeZone);
  const isOddDay = end.getTime() - start.getTime() !== 86_400_000;
  const [, offset] = isOddDay ? zoneName(venue.timeZone, at).split(', ') : [];
  return (
    <time datetime={at.toISOString()}>
      {localTimeOf(at, venue.timeZone)}
      {offset === undefined ? null : <span class="under">{offset}</span>}
      {localDateOf(at, venue.timeZone) > date ? <span class="under">next day</span> : null}
    </time>
  );
}

const LEGEND = [
  ['free', 'Free'],
  ['held', 'Held'],
  ['booked', 'Booked'],
  ['walk-in', 'Walk-in'],
  ['shared', 'Shared space is taken'],
  ['blackout', 'Blackout'],
  ['past', 'Past or not on sale'],
] as const;

/** The legend of the colours; each cell also says its state. */
export function Legend(): VNode {
  return (
    <ul class="legend" aria-label="Legend">
      {LEGEND.map(([state, label]) => (
        <li class={state}>
          <span class="swatch" />
          {label}
        </li>
      ))}
    </ul>
  );
}

/** The holds and bookings outside the day's schedule: they block slots, and only this section shows them. */
export function OffSchedule({ grid, nameOf }: GridProps): VNode | null {
  if (grid.offSchedule.length === 0) return null;
  return (
    <Section id="off-schedule" title="Not on this day's schedule">
      <p class="faint">
        These holds and bookings were made before the schedule changed. Until they end, their times cannot be sold.
      </p>
      <Table
        caption="Holds and bookings that are not on this day's schedule"
        columns={['Time', 'Resource', 'State', 'Partner', 'Customer']}
        rows={grid.offSchedule.map((claim) => [
          <a href={claimPath(claim.holdId, claim.bookingId)}>
            {timeSpan(claim.slotStart, claim.slotEnd, grid.venue.timeZone)}
          </a>,
          claim.resource.name,
          <Badge state={claim.kind} />,
          nameOf(claim.partnerId),
          claim.customerName ?? <span class="faint">–</span>,
        ])}
        empty=""
      />
    </Section>
  );
}
