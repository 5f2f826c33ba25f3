import type { VNode } from 'preact';
import { timeSpan } from './format.rules.ts';
import type { GridProps } from './grid-props.ts';
import { claimPath } from './links.tsx';
import { Badge, Table } from './parts.tsx';

/** What stands on the day beside its schedule: it blocks slots, and would be seen nowhere else. */
export function OffSchedule({ grid, nameOf }: GridProps): VNode | null {
  if (grid.offSchedule.length === 0) return null;
  return (
    <section aria-labelledby="off-schedule">
      <h2 id="off-schedule">Not on this day's schedule</h2>
      <p class="faint">
        The schedule was changed after they were made. Their time cannot be sold again until they end.
      </p>
      <Table
        caption="Holds and bookings that are not on this day's schedule"
        columns={['Time', 'Resource', 'State', 'Partner', 'Customer']}
        rows={grid.offSchedule.map((claim) => (
          <tr key={claim.holdId}>
            <th scope="row">
              <a href={claimPath(claim.holdId, claim.bookingId)}>
                {timeSpan(claim.slotStart, claim.slotEnd, grid.venue.timeZone)}
              </a>
            </th>
            <td>{claim.resource.name}</td>
            <td>
              <Badge state={claim.kind} />
            </td>
            <td>{nameOf(claim.partnerId)}</td>
            <td>{claim.customerName ?? <span class="faint">–</span>}</td>
          </tr>
        ))}
        empty=""
      />
    </section>
  );
}
