import Joi from 'joi';
import type { VNode } from 'preact';
import { type DayGrid, readDayGrid } from '../booking/availability/day-grid.service.ts';
import { getVenue, type VenueRow } from '../catalog/venues/venues.service.ts';
import { date as dateField, uuid } from '../http/fields.ts';
import { addDays, dayBounds, localDateOf } from '../platform/calendar.ts';
import { BlackoutList, readNextBlackouts } from './blackout-page.tsx';
import { toChoices, venuesToChoose } from './choices.ts';
import { longDate, withQuery, zoneName } from './format.rules.ts';
import { InputField, SelectField } from './forms.tsx';
import {
  AnyCourtDialog,
  BlackoutDialog,
  CancelDialog,
  freeStarts,
  WalkInDialog,
  WithdrawDialog,
} from './grid-dialogs.tsx';
import { GridTable, Legend, OffSchedule } from './grid-table.tsx';
import { readNames } from './links.tsx';
import { Heading, Icon } from './parts.tsx';
import { type PageHandler, readQuery } from './request.ts';

const gridQuery = Joi.object<{ venue_id?: string; date?: string }>({ venue_id: uuid(), date: dateField() });

/** A day at a venue: every slot with its state and its action. */
export const gridPage: PageHandler = async (deps, request) => {
  const { query, faults } = readQuery(gridQuery, request.query);
  // If only the date is faulty, the page must still show the requested venue.
  const isOnlyDateFaulty = faults?.every(({ path }) => path !== 'venue_id') === true;
  const requestedId = isOnlyDateFaulty ? request.query['venue_id'] : query.venue_id;
  const venues = await venuesToChoose(deps, requestedId);
  const venueId = requestedId ?? venues[0]?._id;
  if (venueId === undefined) return { title: 'Today', section: '/', content: <NoVenue /> };
  const venue = await getVenue(deps, venueId);
  const today = localDateOf(deps.clock.now(), venue.timeZone);
  const date = query.date ?? today;
  const [grid, blackouts] = await Promise.all([readDayGrid(deps, venue._id, date), readNextBlackouts(deps, venue._id)]);
  const nameOf = await readNames(deps, partnersOn(grid));
  const title = `${venue.name}, ${longDate(date)}`;
  return {
    title,
    section: '/',
    isLive: true,
    status: faults === undefined ? 200 : 400,
    content: (
      <>
        <Heading title={title}>
          {date === today ? <span class="badge good">today</span> : null}
          {venue.status === 'inactive' ? <span class="badge bad">inactive venue</span> : null}
        </Heading>
        <Toolbar venues={venues} venue={venue} date={date} today={today} hasFree={freeStarts(grid).length > 0} />
        {faults?.map(({ path, message }) => (
          <p class="notice bad">{`${path} ${message}`}</p>
        ))}
        <GridTable grid={grid} nameOf={nameOf} />
        <div class="row spread">
          <Legend />
          <p class="faint">{`Times in ${zoneName(venue.timeZone, dayBounds(date, venue.timeZone).start)}`}</p>
        </div>
        <OffSchedule grid={grid} nameOf={nameOf} />
        <BlackoutList
          blackouts={blackouts}
          timeZone={venue.timeZone}
          resourceName={(id) => grid.columns.find(({ resource }) => resource._id === id)?.resource.name ?? id}
        />
        <AnyCourtDialog grid={grid} region={deps.config.defaultRegion} />
        <WalkInDialog region={deps.config.defaultRegion} />
        <CancelDialog />
        <WithdrawDialog />
        <BlackoutDialog grid={grid} />
      </>
    ),
  };
};

function partnersOn({ columns, offSchedule }: DayGrid): string[] {
  const claims = [...columns.flatMap(({ cells }) => cells.flatMap(({ occupants }) => occupants)), ...offSchedule];
  return claims.map(({ partnerId }) => partnerId);
}

type ToolbarProps = { venues: readonly VenueRow[]; venue: VenueRow; date: string; today: string; hasFree: boolean };

function Toolbar({ venues, venue, date, today, hasFree }: ToolbarProps): VNode {
  const pathOn = (day: string) => withQuery('/', { venue_id: venue._id, date: day });
  return (
    <div class="row spread">
      <div class="row">
        <form class="row" action="/">
          <SelectField id="venue" label="Venue" name="venue_id" options={toChoices(venues)} chosen={venue._id} />
          <InputField id="date" label="Date" name="date" type="date" value={date} required />
          <button>Show</button>
        </form>
        <nav class="row" aria-label="Days">
          <a class="button" href={pathOn(addDays(date, -1))} id="day-before">
            <Icon name="left" />
            <span class="unseen">The day before</span>
          </a>
          <a class="button" href={pathOn(today)} id="today">
            Today
          </a>
          <a class="button" href={pathOn(addDays(date, 1))} id="day-after">
            <Icon name="right" />
            <span class="unseen">The day after</span>
          </a>
        </nav>
      </div>
      <div class="row">
        {hasFree ? (
          <button type="button" id="sell-any" data-dialog="any-court-dialog">
            Sell any free court
          </button>
        ) : null}
        <button type="button" id="add-blackout" data-dialog="blackout-dialog">
          <Icon name="closed" /> Add a blackout
        </button>
      </div>
    </div>
  );
}

function NoVenue(): VNode {
  return (
    <div class="card">
      <h1>There is no venue yet</h1>
      <p>
        Add one with its resources through the <a href="/docs">operator API</a>. Its day is then shown here.
      </p>
    </div>
  );
}
