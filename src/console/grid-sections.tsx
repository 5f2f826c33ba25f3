import type { VNode } from 'preact';
import type { BlackoutDetail } from '../blackouts/blackouts.service.ts';
import { count, dateTime, timeSpan } from './format.rules.ts';
import { ApiForm } from './forms.tsx';
import type { GridProps } from './grid-props.ts';
import { Badge, Table } from './parts.tsx';

/** What stands on the day beside its schedule: it blocks slots, and would be seen nowhere else. */
export function OffSchedule({ grid, nameOf }: GridProps): VNode | null {
  if (grid.offSchedule.length === 0) return null;
  return (
    <section aria-labelledby="off-schedule">
      <h2 id="off-schedule">Not on this day's schedule</h2>
      <p class="faint">
        The schedule was changed while they stood. Their ground cannot be sold until they end.
      </p>
      <Table
        caption="Holds and bookings that are not on this day's schedule"
        columns={['Time', 'Resource', 'State', 'Partner', 'Customer']}
        rows={grid.offSchedule.map((claim) => (
          <tr key={claim.holdId}>
            <th scope="row">
              <a
                href={
                  claim.bookingId === undefined ? `/holds/${claim.holdId}` : `/bookings/${claim.bookingId}`
                }
              >
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

type BlackoutsProps = GridProps & { blackouts: readonly BlackoutDetail[] };

/** The blackouts of the venue, of every day to come, each with what stands in it. */
export function Blackouts({ grid, blackouts, nameOf }: BlackoutsProps): VNode {
  return (
    <section aria-labelledby="blackouts">
      <h2 id="blackouts">Blackouts in force and to come</h2>
      {blackouts.length === 0 ? <p class="empty">There is none.</p> : null}
      <ul class="list">
        {blackouts.map((detail) => (
          <Item key={detail.blackout._id} detail={detail} grid={grid} nameOf={nameOf} />
        ))}
      </ul>
    </section>
  );
}

function Item({
  detail: { blackout, conflicts },
  grid,
  nameOf,
}: GridProps & { detail: BlackoutDetail }): VNode {
  const { timeZone } = grid.venue;
  const resourceName = (id: string) =>
    grid.columns.find(({ resource }) => resource._id === id)?.resource.name ?? id;
  const closed = blackout.resourceIds?.map(resourceName).join(', ') ?? 'all resources';
  return (
    <li id={blackout._id} tabindex={-1}>
      <div class="grow">
        <strong>{blackout.reason}</strong>
        <span class="under">
          {`${dateTime(blackout.startsAt, timeZone)} to ${dateTime(blackout.endsAt, timeZone)} · ${closed}`}
        </span>
        {conflicts.length === 0 ? null : (
          <>
            <p class="warn">{`${count(conflicts.length, 'hold or booking', 'holds and bookings')} in it:`}</p>
            <ul class="plain conflicts">
              {conflicts.map(({ _id, bookingId, slotStart, resourceId, partnerId }) => (
                <li key={_id}>
                  <a href={bookingId === undefined ? `/holds/${_id}` : `/bookings/${bookingId}`}>
                    {`${dateTime(slotStart, timeZone)}, ${resourceName(resourceId)}`}
                  </a>
                  {` · ${bookingId === undefined ? 'held' : 'booked'} · ${nameOf(partnerId)}`}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
      <ApiForm
        call={`DELETE /api/v1/operator/blackouts/${blackout._id}`}
        done="The blackout is lifted."
        confirm={{
          question: `Lift the blackout “${blackout.reason}”? What it closes can be sold again.`,
          yes: 'Lift',
        }}
      >
        <button aria-label={`Lift the blackout ${blackout.reason}`}>Lift</button>
      </ApiForm>
    </li>
  );
}
