import type { Schemas } from '../operation-types.ts';
import type { CannedDay } from './canned-days.ts';
import { dayAfter, lateNight, longDay, shortDay } from './canned-days.ts';
import type { Body, ProxiedCall } from './proxied-calls.ts';
import { dateIn } from './sandbox.ts';

/** Days with a clock change or a late evening. */
export const MADE_UP_DAYS = { short: shortDay(), long: longDay(), night: lateNight(dateIn(5)) };

const DAYS: readonly CannedDay[] = Object.values(MADE_UP_DAYS);

export const MADE_UP_VENUES: readonly Schemas['Venue'][] = [
  ...new Map(DAYS.map(({ venue }) => [venue.venue_id, venue])).values(),
];

/** Appends the made-up venues to a listing of venues. */
export function withMadeUpVenues(body: Body): Body {
  return listing([...(body['data'] as unknown[]), ...MADE_UP_VENUES]);
}

/** The response to a call about a made-up venue; undefined for other calls. Days outside MADE_UP_DAYS are empty. */
export function madeUpAnswer({ operation, pathId, query }: ProxiedCall): Body | undefined {
  const venue_id = pathId === '' ? query.get('venue_id') : pathId;
  const days = DAYS.filter(({ venue }) => venue.venue_id === venue_id);
  const [first] = days;
  if (first === undefined) return undefined;
  const slotsOn = (date: string) => days.find((day) => day.date === date)?.slots ?? [];
  const parameter = (name: string) => query.get(name) ?? '';
  const [date, from, to] = [parameter('date'), parameter('from'), parameter('to')];
  if (operation === 'getVenue') return first.venue;
  if (operation === 'listResources') return listing([resourceOf(first)]);
  if (operation === 'getAvailability') return { venue_id, date, slots: slotsOn(date) };
  if (operation === 'getAvailabilityRange')
    return {
      venue_id,
      from,
      to,
      days: datesIn(from, to).map((each) => ({ date: each, slots: slotsOn(each) })),
    };
  return undefined;
}

function resourceOf({ venue: { venue_id }, hours: [start, end], slots: [first] }: CannedDay): Schemas['Resource'] {
  return {
    resource_id: first?.resource_id ?? '',
    venue_id,
    name: 'Turf',
    resource_type: 'turf',
    sport_category: 'football',
    duration_minutes: 60,
    price_rupees: 1200,
    operating_hours_start: start,
    operating_hours_end: end,
  };
}

const listing = (data: unknown[]): Body => ({ success: true, count: data.length, data });

function datesIn(from: string, to: string): string[] {
  const dates: string[] = [];
  for (let date = from; date <= to; date = dayAfter(date, 1)) dates.push(date);
  return dates;
}
