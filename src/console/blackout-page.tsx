import type { VNode } from 'preact';
import { type BlackoutRow, getBlackout, listBlackouts } from '../catalog/blackouts/blackouts.service.ts';
import { listResources } from '../catalog/venues/resources.service.ts';
import { getVenue } from '../catalog/venues/venues.service.ts';
import { findCustomers } from '../reservations/reservation-reads.store.ts';
import type { Customer } from '../reservations/reservations.service.ts';
import { count, dateTime, timeSpan, zoneName } from './format.rules.ts';
import { ApiForm } from './forms.tsx';
import { claimPath, dateOf, gridPath, PartnerLink, readNames } from './links.tsx';
import { Badge, Facts, Heading, Section, Table, When } from './parts.tsx';
import type { ConsoleDeps, PageHandler } from './request.ts';

/** How many holds and bookings the page shows. */
const MAX_SHOWN = 500;

/**
 * A blackout with the holds and bookings in it. Their customers have to be called, so the page does not refresh while
 * operators work through the list.
 */
export const blackoutPage: PageHandler = async (deps, { id }) => {
  const { blackout, conflicts } = await getBlackout(deps, id);
  const shown = conflicts.slice(0, MAX_SHOWN);
  const [venue, resources, nameOf, customers] = await Promise.all([
    getVenue(deps, blackout.venueId),
    listResources(deps, blackout.venueId),
    readNames(
      deps,
      shown.map(({ partnerId }) => partnerId),
    ),
    findCustomers(
      deps.db,
      shown.map(({ _id }) => _id),
    ),
  ]);
  const { timeZone } = venue;
  const resourceName = (resourceId: string) => resources.find(({ _id }) => _id === resourceId)?.name ?? resourceId;
  return {
    title: `Blackout: ${blackout.reason}`,
    section: '/',
    content: (
      <>
        <Heading title={blackout.reason}>
          <Badge state="blackout" />
          <WithdrawForm blackout={blackout} next={gridPath(venue, blackout.startsAt)} />
        </Heading>
        <Facts
          facts={[
            ['Venue', <a href={gridPath(venue, blackout.startsAt)}>{venue.name}</a>],
            ['Closes', blackout.resourceIds?.map(resourceName).join(', ') ?? 'all resources'],
            ['From', <When at={blackout.startsAt} timeZone={timeZone} />],
            ['Until', <When at={blackout.endsAt} timeZone={timeZone} />],
            ['Times in', zoneName(timeZone, blackout.startsAt)],
          ]}
        />
        <h2>{conflictsHeading(conflicts.length)}</h2>
        {conflicts.length > MAX_SHOWN ? <p class="faint">{`The first ${MAX_SHOWN} are shown.`}</p> : null}
        <Table
          caption="Holds and bookings in the blackout"
          columns={['Slot', 'State', 'Customer', 'Resource', 'Partner']}
          rows={shown.map((claim) => [
            <a class="conflict" href={claimPath(claim._id, claim.bookingId)}>
              {`${dateOf(claim, timeZone)}, ${timeSpan(claim.slotStart, claim.slotEnd, timeZone)}`}
            </a>,
            <Badge state={claim.bookingId === undefined ? 'held' : 'booked'} />,
            <WhomToCall customer={customers.get(claim._id)} />,
            resourceName(claim.resourceId),
            <PartnerLink id={claim.partnerId} name={nameOf(claim.partnerId)} />,
          ])}
          empty="No holds or bookings."
        />
      </>
    ),
  };
};

/** Only the partner knows the customer of a hold. */
function WhomToCall({ customer }: { customer: Customer | undefined }): VNode {
  if (customer === undefined) return <span class="faint">not booked yet: ask the partner</span>;
  const { name, phone, phoneE164 } = customer;
  return (
    <>
      {name ?? <span class="faint">no name</span>}
      <span class="under">
        {phone === null ? 'no phone' : phoneE164 === null ? phone : <a href={`tel:${phoneE164}`}>{phone}</a>}
      </span>
    </>
  );
}

const conflictsHeading = (number: number) =>
  number === 0 ? 'No holds or bookings in it' : `${count(number, 'hold or booking', 'holds and bookings')} in it`;

/** Reads the current and next blackouts of a venue, in order of time. */
export const readNextBlackouts = (deps: ConsoleDeps, venueId: string) => listBlackouts(deps, venueId, { limit: 20 });

type BlackoutListProps = {
  blackouts: Awaited<ReturnType<typeof readNextBlackouts>>;
  timeZone: string;
  resourceName: (id: string) => string;
};

export function BlackoutList({ blackouts: { rows, next }, timeZone, resourceName }: BlackoutListProps): VNode {
  return (
    <Section id="blackouts" title="Current and upcoming blackouts">
      {rows.length === 0 ? <p class="faint">None.</p> : null}
      <ul class="list">
        {rows.map((blackout) => (
          <li id={blackout._id} tabindex={-1}>
            <div>
              <a href={`/blackouts/${blackout._id}`}>
                <strong>{blackout.reason}</strong>
              </a>
              <span class="under">
                {`${dateTime(blackout.startsAt, timeZone)} to ${dateTime(blackout.endsAt, timeZone)} · ${
                  blackout.resourceIds?.map(resourceName).join(', ') ?? 'all resources'
                }`}
              </span>
            </div>
            <WithdrawForm blackout={blackout} />
          </li>
        ))}
      </ul>
      {next === null ? null : <p class="faint">{`Only the next ${rows.length} are shown.`}</p>}
    </Section>
  );
}

function WithdrawForm({ blackout: { _id, reason }, ...form }: { blackout: BlackoutRow; next?: string }): VNode {
  return (
    <ApiForm
      {...form}
      call={`DELETE /api/v1/operator/blackouts/${_id}`}
      done="The blackout is withdrawn."
      question={`Withdraw the blackout “${reason}”? Its slots can be sold again.`}
      yes="Withdraw"
    >
      <button aria-label={`Withdraw the blackout ${reason}`}>Withdraw</button>
    </ApiForm>
  );
}
