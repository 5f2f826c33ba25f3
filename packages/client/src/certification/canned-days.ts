import { randomUUID } from 'node:crypto';
import type { Schemas } from '../operation-types.ts';
import type { Body, ProxiedCall, Rule } from './proxied-calls.ts';
import { callsOf } from './proxied-calls.ts';

/** Opening and closing. */
type Hours = readonly [string, string];

/** A day of a venue that only the proxy knows, with what its slots must be shown as. */
export type CannedDay = {
  venue: Schemas['Venue'];
  date: string;
  hours: Hours;
  slots: Schemas['Slot'][];
  /** In the order of the slots. */
  localTimes: string[];
};

const HOUR_MS = 3_600_000;

type Row = { start: string; shown: string };

function cannedDay(zone: string, city: string, hours: Hours, date: string, rows: Row[]): CannedDay {
  const venue_id = randomUUID();
  const resource_id = `certification-${city.toLowerCase()}-turf`;
  const slots = rows.map(({ start }) => ({
    slot_id: `${resource_id}_${start.replaceAll(/[-:]/g, '').slice(0, 13)}Z`,
    resource_id,
    slot_start: start,
    slot_end: new Date(Date.parse(start) + HOUR_MS).toISOString(),
    price_rupees: 1200,
    is_available: true,
  }));
  const venue = {
    ...{ venue_id, name: `Certification Arena ${city}`, address: '1 Clock Street', city },
    ...{ status: 'active' as const, time_zone: zone },
  };
  return { venue, date, hours, slots, localTimes: rows.map(({ shown }) => shown) };
}

/** London's last Sunday of March, of `year`: from 00:00 to 06:00 it has five hours, and no 01:00. */
export function shortDay(year = springYear()): CannedDay {
  const date = lastSundayOf(year, 3);
  return cannedDay('Europe/London', 'London', ['00:00', '06:00'], date, [
    { start: `${date}T00:00:00.000Z`, shown: `${date}T00:00+00:00` },
    ...[1, 2, 3, 4].map((hour) => ({
      start: `${date}T0${hour}:00:00.000Z`,
      shown: `${date}T0${hour + 1}:00+01:00`,
    })),
  ]);
}

/** London's last Sunday of October, of `year`: from 00:00 to 06:00 it has seven hours, and 01:00 twice. */
export function longDay(year = autumnYear()): CannedDay {
  const date = lastSundayOf(year, 10);
  return cannedDay('Europe/London', 'London', ['00:00', '06:00'], date, [
    { start: `${dayAfter(date, -1)}T23:00:00.000Z`, shown: `${date}T00:00+01:00` },
    { start: `${date}T00:00:00.000Z`, shown: `${date}T01:00+01:00` },
    ...[1, 2, 3, 4, 5].map((hour) => ({
      start: `${date}T0${hour}:00:00.000Z`,
      shown: `${date}T0${hour}:00+00:00`,
    })),
  ]);
}

/** An evening in Bengaluru, 18:00 to 02:00: its last two slots are of the next date. */
export function lateNight(date: string): CannedDay {
  const next = dayAfter(date, 1);
  const evening = [12, 13, 14, 15, 16, 17].map((hour) => ({
    start: `${date}T${hour}:30:00.000Z`,
    shown: `${date}T${hour + 6}:00+05:30`,
  }));
  return cannedDay('Asia/Kolkata', 'Bengaluru', ['18:00', '02:00'], date, [
    ...evening,
    { start: `${date}T18:30:00.000Z`, shown: `${next}T00:00+05:30` },
    { start: `${date}T19:30:00.000Z`, shown: `${next}T01:00+05:30` },
  ]);
}

/** Has the proxy answer for the venue of the day, whichever way the integration reads it; other days of it are empty. */
export function rulesOf(day: CannedDay): Rule[] {
  const { venue } = day;
  const isOfVenue = (call: ProxiedCall) =>
    call.query.get('venue_id') === venue.venue_id || call.pathId === venue.venue_id;
  const answers = (body: (call: ProxiedCall) => Body): Rule => ({
    isFor: (call) => isOfVenue(call) && call.method === 'GET',
    fault: { kind: 'made', body },
  });
  return [
    {
      isFor: callsOf('listVenues'),
      fault: {
        kind: 'rewrite',
        body: (body) => listing([...(body['data'] as unknown[]), venue]),
      },
    },
    answers((call) => answerOf(day, call)),
  ];
}

/** What the service would answer to a read of the venue. */
export function answerOf(day: CannedDay, { operation, query }: ProxiedCall): Body {
  const { venue, date, slots } = day;
  const { venue_id } = venue;
  const slotsOn = (each: string) => (each === date ? slots : []);
  if (operation === 'getVenue') return venue;
  if (operation === 'listResources') return listing([resourceOf(day)]);
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
  if (operation === 'getAvailabilityRange')
    return {
      venue_id,
      from,
      to,
      days: datesIn(from, to).map((each) => ({ date: each, slots: slotsOn(each) })),
    };
  const asked = query.get('date') ?? '';
  return { venue_id, date: asked, slots: slotsOn(asked) };
}

function resourceOf({
  venue: { venue_id },
  hours: [start, end],
  slots: [first],
}: CannedDay): Schemas['Resource'] {
  return {
    ...{ resource_id: first?.resource_id ?? '', venue_id, name: 'Turf', resource_type: 'turf' },
    ...{ sport_category: 'football', duration_minutes: 60, price_rupees: 1200 },
    ...{ operating_hours_start: start, operating_hours_end: end },
  };
}

const listing = (data: unknown[]): Body => ({ success: true, count: data.length, data });

/** The next spring, or autumn, whose clocks have not changed yet. */
const springYear = (): number => nextYear((year) => lastSundayOf(year, 3));
const autumnYear = (): number => nextYear((year) => lastSundayOf(year, 10));

function nextYear(dateOf: (year: number) => string): number {
  const today = new Date().toISOString().slice(0, 10);
  const year = Number(today.slice(0, 4));
  return dateOf(year) > today ? year : year + 1;
}

function lastSundayOf(year: number, month: number): string {
  const last = new Date(Date.UTC(year, month, 0));
  return dayAfter(last.toISOString().slice(0, 10), -last.getUTCDay());
}

/** The date so many days after another. */
export const dayAfter = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * 24 * HOUR_MS).toISOString().slice(0, 10);

function datesIn(from: string, to: string): string[] {
  const dates: string[] = [];
  for (let date = from; date <= to; date = dayAfter(date, 1)) dates.push(date);
  return dates;
}
