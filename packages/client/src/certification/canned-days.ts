import type { Schemas } from '../operation-types.ts';

type Hours = readonly [string, string];

/** A made-up day of a venue that only the proxy knows. `localTimes`: how each of `slots` must be shown, in order. */
export type CannedDay = {
  venue: Schemas['Venue'];
  date: string;
  hours: Hours;
  slots: Schemas['Slot'][];
  localTimes: string[];
};

const HOUR_MS = 3_600_000;

type Row = { start: string; localTime: string };

/** Constant ids, because an integration may cache its list of venues between runs. */
const VENUE_IDS = {
  London: '7c1f3a52-0d4e-4b9a-9c51-6f2e8a1d0b01',
  Bengaluru: '7c1f3a52-0d4e-4b9a-9c51-6f2e8a1d0b02',
};

function cannedDay(zone: string, city: keyof typeof VENUE_IDS, hours: Hours, date: string, rows: Row[]): CannedDay {
  const venue_id = VENUE_IDS[city];
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
    venue_id,
    name: `Certification Arena ${city}`,
    address: '1 Clock Street',
    city,
    status: 'active' as const,
    time_zone: zone,
  };
  return { venue, date, hours, slots, localTimes: rows.map(({ localTime }) => localTime) };
}

/** London's last Sunday of March: 00:00 to 06:00 has five hours, without 01:00. */
export function shortDay(year = springYear()): CannedDay {
  const date = lastSundayOf(year, 3);
  return cannedDay('Europe/London', 'London', ['00:00', '06:00'], date, [
    { start: `${date}T00:00:00.000Z`, localTime: `${date}T00:00+00:00` },
    ...[1, 2, 3, 4].map((hour) => ({
      start: `${date}T0${hour}:00:00.000Z`,
      localTime: `${date}T0${hour + 1}:00+01:00`,
    })),
  ]);
}

/** London's last Sunday of October: 00:00 to 06:00 has seven hours, and 01:00 twice. */
export function longDay(year = autumnYear()): CannedDay {
  const date = lastSundayOf(year, 10);
  return cannedDay('Europe/London', 'London', ['00:00', '06:00'], date, [
    { start: `${dayAfter(date, -1)}T23:00:00.000Z`, localTime: `${date}T00:00+01:00` },
    { start: `${date}T00:00:00.000Z`, localTime: `${date}T01:00+01:00` },
    ...[1, 2, 3, 4, 5].map((hour) => ({
      start: `${date}T0${hour}:00:00.000Z`,
      localTime: `${date}T0${hour}:00+00:00`,
    })),
  ]);
}

/** An evening in Bengaluru, 18:00 to 02:00: its last two slots are on the next date. */
export function lateNight(date: string): CannedDay {
  const next = dayAfter(date, 1);
  const evening = [12, 13, 14, 15, 16, 17].map((hour) => ({
    start: `${date}T${hour}:30:00.000Z`,
    localTime: `${date}T${hour + 6}:00+05:30`,
  }));
  return cannedDay('Asia/Kolkata', 'Bengaluru', ['18:00', '02:00'], date, [
    ...evening,
    { start: `${date}T18:30:00.000Z`, localTime: `${next}T00:00+05:30` },
    { start: `${date}T19:30:00.000Z`, localTime: `${next}T01:00+05:30` },
  ]);
}

/** The year of London's next clock change, in spring or autumn. */
const springYear = (): number => yearOfNext((year) => lastSundayOf(year, 3));
const autumnYear = (): number => yearOfNext((year) => lastSundayOf(year, 10));

function yearOfNext(dateOf: (year: number) => string): number {
  const today = new Date().toISOString().slice(0, 10);
  const year = Number(today.slice(0, 4));
  return dateOf(year) > today ? year : year + 1;
}

function lastSundayOf(year: number, month: number): string {
  const last = new Date(Date.UTC(year, month, 0));
  return dayAfter(last.toISOString().slice(0, 10), -last.getUTCDay());
}

export const dayAfter = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * 24 * HOUR_MS).toISOString().slice(0, 10);
